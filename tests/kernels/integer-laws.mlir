// integer-laws.mlir: what integer ops promise, for every pair of 8-bit values: iota wraps, so it runs through all 256.

// a = (a / b) * b + rem(a, b), rem has a's sign and is smaller than b; x / 0 = x rem 0 = 0; -128 / -1 wraps.
func.func @signed_division() {
  %i = kiln.iota axis 0 [256, 1] : tensor<256x1xi8>
  %j = kiln.iota axis 1 [1, 256] : tensor<1x256xi8>
  %a = kiln.optimization_barrier %i : tensor<256x1xi8>
  %b = kiln.optimization_barrier %j : tensor<1x256xi8>
  %zero = kiln.constant dense<0> : tensor<i8>
  %true = kiln.constant dense<true> : tensor<256x256xi1>
  %q = kiln.div %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %r = kiln.rem %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %none = kiln.compare eq %b, %zero : tensor<1x256xi8>, tensor<i8> -> tensor<1x256xi1>
  %qb = kiln.mul %q, %b : tensor<256x256xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %back = kiln.add %qb, %r : tensor<256x256xi8>, tensor<256x256xi8> -> tensor<256x256xi8>
  %want = kiln.select %none, %zero, %a : tensor<1x256xi1>, tensor<i8>, tensor<256x1xi8> -> tensor<256x256xi8>
  kiln.check_equal %back, %want : tensor<256x256xi8>
  %r0 = kiln.compare eq %r, %zero : tensor<256x256xi8>, tensor<i8> -> tensor<256x256xi1>
  %rn = kiln.compare lt %r, %zero : tensor<256x256xi8>, tensor<i8> -> tensor<256x256xi1>
  %an = kiln.compare lt %a, %zero : tensor<256x1xi8>, tensor<i8> -> tensor<256x1xi1>
  %same = kiln.compare eq %rn, %an : tensor<256x256xi1>, tensor<256x1xi1> -> tensor<256x256xi1>
  %sign = kiln.or %r0, %same : tensor<256x256xi1>, tensor<256x256xi1> -> tensor<256x256xi1>
  kiln.check_equal %sign, %true : tensor<256x256xi1>
  %rw = kiln.convert %r : tensor<256x256xi8> to tensor<256x256xi16>
  %bw = kiln.convert %b : tensor<1x256xi8> to tensor<1x256xi16>
  %ra = kiln.abs %rw : tensor<256x256xi16>
  %ba = kiln.abs %bw : tensor<1x256xi16>
  %smaller = kiln.compare lt %ra, %ba : tensor<256x256xi16>, tensor<1x256xi16> -> tensor<256x256xi1>
  %size = kiln.or %smaller, %none : tensor<256x256xi1>, tensor<1x256xi1> -> tensor<256x256xi1>
  kiln.check_equal %size, %true : tensor<256x256xi1>
  return
}

// mod differs from rem by nothing or by b, and has b's sign.
func.func @modulo() {
  %i = kiln.iota axis 0 [256, 1] : tensor<256x1xi8>
  %j = kiln.iota axis 1 [1, 256] : tensor<1x256xi8>
  %a = kiln.optimization_barrier %i : tensor<256x1xi8>
  %b = kiln.optimization_barrier %j : tensor<1x256xi8>
  %zero = kiln.constant dense<0> : tensor<i8>
  %true = kiln.constant dense<true> : tensor<256x256xi1>
  %r = kiln.rem %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %m = kiln.mod %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %d = kiln.sub %m, %r : tensor<256x256xi8>, tensor<256x256xi8> -> tensor<256x256xi8>
  %d0 = kiln.compare eq %d, %zero : tensor<256x256xi8>, tensor<i8> -> tensor<256x256xi1>
  %db = kiln.compare eq %d, %b : tensor<256x256xi8>, tensor<1x256xi8> -> tensor<256x256xi1>
  %either = kiln.or %d0, %db : tensor<256x256xi1>, tensor<256x256xi1> -> tensor<256x256xi1>
  kiln.check_equal %either, %true : tensor<256x256xi1>
  %m0 = kiln.compare eq %m, %zero : tensor<256x256xi8>, tensor<i8> -> tensor<256x256xi1>
  %mn = kiln.compare lt %m, %zero : tensor<256x256xi8>, tensor<i8> -> tensor<256x256xi1>
  %bn = kiln.compare lt %b, %zero : tensor<1x256xi8>, tensor<i8> -> tensor<1x256xi1>
  %same = kiln.compare eq %mn, %bn : tensor<256x256xi1>, tensor<1x256xi1> -> tensor<256x256xi1>
  %sign = kiln.or %m0, %same : tensor<256x256xi1>, tensor<256x256xi1> -> tensor<256x256xi1>
  kiln.check_equal %sign, %true : tensor<256x256xi1>
  return
}

// The same for unsigned numbers, where mod is rem.
func.func @unsigned_division() {
  %i = kiln.iota axis 0 [256, 1] : tensor<256x1xui8>
  %j = kiln.iota axis 1 [1, 256] : tensor<1x256xui8>
  %a = kiln.optimization_barrier %i : tensor<256x1xui8>
  %b = kiln.optimization_barrier %j : tensor<1x256xui8>
  %zero = kiln.constant dense<0> : tensor<ui8>
  %q = kiln.div %a, %b : tensor<256x1xui8>, tensor<1x256xui8> -> tensor<256x256xui8>
  %r = kiln.rem %a, %b : tensor<256x1xui8>, tensor<1x256xui8> -> tensor<256x256xui8>
  %m = kiln.mod %a, %b : tensor<256x1xui8>, tensor<1x256xui8> -> tensor<256x256xui8>
  kiln.check_equal %m, %r : tensor<256x256xui8>
  %none = kiln.compare eq %b, %zero : tensor<1x256xui8>, tensor<ui8> -> tensor<1x256xi1>
  %qb = kiln.mul %q, %b : tensor<256x256xui8>, tensor<1x256xui8> -> tensor<256x256xui8>
  %back = kiln.add %qb, %r : tensor<256x256xui8>, tensor<256x256xui8> -> tensor<256x256xui8>
  %want = kiln.select %none, %zero, %a : tensor<1x256xi1>, tensor<ui8>, tensor<256x1xui8> -> tensor<256x256xui8>
  kiln.check_equal %back, %want : tensor<256x256xui8>
  %smaller = kiln.compare lt %r, %b : tensor<256x256xui8>, tensor<1x256xui8> -> tensor<256x256xi1>
  %size = kiln.or %smaller, %none : tensor<256x256xi1>, tensor<1x256xi1> -> tensor<256x256xi1>
  %true = kiln.constant dense<true> : tensor<256x256xi1>
  kiln.check_equal %size, %true : tensor<256x256xi1>
  return
}

// a^(n + 1) = a^n * a, wrapping; a^0 = 1; a^-n is 0 but for 1 and -1.
func.func @powers() {
  %i = kiln.iota axis 0 [256, 1] : tensor<256x1xi8>
  %j = kiln.iota axis 1 [1, 127] : tensor<1x127xi8>
  %a = kiln.optimization_barrier %i : tensor<256x1xi8>
  %n = kiln.optimization_barrier %j : tensor<1x127xi8>
  %zero = kiln.constant dense<0> : tensor<i8>
  %one = kiln.constant dense<1> : tensor<i8>
  %minus = kiln.constant dense<-1> : tensor<i8>
  %next = kiln.add %n, %one : tensor<1x127xi8>, tensor<i8> -> tensor<1x127xi8>
  %p = kiln.pow %a, %n : tensor<256x1xi8>, tensor<1x127xi8> -> tensor<256x127xi8>
  %got = kiln.pow %a, %next : tensor<256x1xi8>, tensor<1x127xi8> -> tensor<256x127xi8>
  %want = kiln.mul %p, %a : tensor<256x127xi8>, tensor<256x1xi8> -> tensor<256x127xi8>
  kiln.check_equal %got, %want : tensor<256x127xi8>
  %first = kiln.slice %p offsets [0, 0] sizes [256, 1] strides [1, 1] : tensor<256x127xi8> -> tensor<256x1xi8>
  %ones = kiln.constant dense<1> : tensor<256x1xi8>
  kiln.check_equal %first, %ones : tensor<256x1xi8>
  %down = kiln.neg %next : tensor<1x127xi8>
  %inverse = kiln.pow %a, %down : tensor<256x1xi8>, tensor<1x127xi8> -> tensor<256x127xi8>
  %magnitude = kiln.abs %a : tensor<256x1xi8>
  %unit = kiln.compare eq %magnitude, %one : tensor<256x1xi8>, tensor<i8> -> tensor<256x1xi1>
  %exact = kiln.select %unit, %got, %zero : tensor<256x1xi1>, tensor<256x127xi8>, tensor<i8> -> tensor<256x127xi8>
  kiln.check_equal %inverse, %exact : tensor<256x127xi8>
  return
}

// Shifting left doubles, shifting right halves and rounds down, for any count; a negative count is a large one.
func.func @shifts() {
  %i = kiln.iota axis 0 [256, 1] : tensor<256x1xi8>
  %j = kiln.iota axis 1 [1, 255] : tensor<1x255xi8>
  %a = kiln.optimization_barrier %i : tensor<256x1xi8>
  %n = kiln.optimization_barrier %j : tensor<1x255xi8>
  %one = kiln.constant dense<1> : tensor<i8>
  %next = kiln.add %n, %one : tensor<1x255xi8>, tensor<i8> -> tensor<1x255xi8>
  %l = kiln.shl %a, %n : tensor<256x1xi8>, tensor<1x255xi8> -> tensor<256x255xi8>
  %l1 = kiln.shl %a, %next : tensor<256x1xi8>, tensor<1x255xi8> -> tensor<256x255xi8>
  %doubled = kiln.add %l, %l : tensor<256x255xi8>, tensor<256x255xi8> -> tensor<256x255xi8>
  kiln.check_equal %l1, %doubled : tensor<256x255xi8>
  %r = kiln.shr %a, %n : tensor<256x1xi8>, tensor<1x255xi8> -> tensor<256x255xi8>
  %r1 = kiln.shr %a, %next : tensor<256x1xi8>, tensor<1x255xi8> -> tensor<256x255xi8>
  %two = kiln.constant dense<2> : tensor<i8>
  %odd = kiln.mod %r, %two : tensor<256x255xi8>, tensor<i8> -> tensor<256x255xi8>
  %even = kiln.sub %r, %odd : tensor<256x255xi8>, tensor<256x255xi8> -> tensor<256x255xi8>
  %halved = kiln.div %even, %two : tensor<256x255xi8>, tensor<i8> -> tensor<256x255xi8>
  kiln.check_equal %r1, %halved : tensor<256x255xi8>
  return
}

// (a & b) + (a | b) = a + b, a ^ b = (a | b) - (a & b), ~a = -a - 1.
func.func @bits() {
  %i = kiln.iota axis 0 [256, 1] : tensor<256x1xi8>
  %j = kiln.iota axis 1 [1, 256] : tensor<1x256xi8>
  %a = kiln.optimization_barrier %i : tensor<256x1xi8>
  %b = kiln.optimization_barrier %j : tensor<1x256xi8>
  %and = kiln.and %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %or = kiln.or %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %xor = kiln.xor %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  %both = kiln.add %and, %or : tensor<256x256xi8>, tensor<256x256xi8> -> tensor<256x256xi8>
  %sum = kiln.add %a, %b : tensor<256x1xi8>, tensor<1x256xi8> -> tensor<256x256xi8>
  kiln.check_equal %both, %sum : tensor<256x256xi8>
  %difference = kiln.sub %or, %and : tensor<256x256xi8>, tensor<256x256xi8> -> tensor<256x256xi8>
  kiln.check_equal %xor, %difference : tensor<256x256xi8>
  %not = kiln.not %a : tensor<256x1xi8>
  %one = kiln.constant dense<1> : tensor<i8>
  %negated = kiln.neg %a : tensor<256x1xi8>
  %less = kiln.sub %negated, %one : tensor<256x1xi8>, tensor<i8> -> tensor<256x1xi8>
  kiln.check_equal %not, %less : tensor<256x1xi8>
  return
}

// Conversion to a float and back saturates as clamp does; through a wider integer it is nothing.
func.func @conversions() {
  %i = kiln.iota axis 0 [65536] : tensor<65536xi16>
  %a = kiln.optimization_barrier %i : tensor<65536xi16>
  %f = kiln.convert %a : tensor<65536xi16> to tensor<65536xf32>
  %s = kiln.convert %f : tensor<65536xf32> to tensor<65536xi8>
  %sc = kiln.clamp %a min -128 max 127 : tensor<65536xi16>
  %sw = kiln.convert %s : tensor<65536xi8> to tensor<65536xi16>
  kiln.check_equal %sw, %sc : tensor<65536xi16>
  %u = kiln.convert %f : tensor<65536xf32> to tensor<65536xui8>
  %uc = kiln.clamp %a min 0 max 255 : tensor<65536xi16>
  %uw = kiln.convert %u : tensor<65536xui8> to tensor<65536xi16>
  kiln.check_equal %uw, %uc : tensor<65536xi16>
  %d = kiln.convert %a : tensor<65536xi16> to tensor<65536xf64>
  %b = kiln.convert %d : tensor<65536xf64> to tensor<65536xi16>
  kiln.check_equal %b, %a : tensor<65536xi16>
  return
}
