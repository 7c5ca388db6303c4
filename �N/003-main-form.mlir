module {
  func.func @main(%arg0: tensor<?x?xi64> {kiln.dim_names = ["b", "s"], kiln.name = "i"}, %arg1: tensor<?x?xi64> {kiln.dim_names = ["b", "s"], kiln.name = "m"}) -> (tensor<?x?xf32> {kiln.dim_names = ["Squeeze1030_dim_0", "Squeeze1030_dim_1"], kiln.name = "1030"}) {
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c7 = arith.constant 7 : index
    %c6 = arith.constant 6 : index
    %c3 = arith.constant 3 : index
    %0 = kiln.constant dense<[-0.0472086966, -0.0472086966, -0.0472086966, -0.0472086966, 0.0564874075, 0.0564874075, 0.0564874075, 0.0564874075, -0.0425846688, -0.0425846688, -0.0425846688, -0.0425846688, -0.0851405412, -0.0851405412, -0.0851405412, -0.0851405412, -0.0408638343, -0.0408638343, -0.0408638343, -0.0408638343, -0.0501884893, -0.0501884893, -0.0501884893, -0.0501884893, 0.028686367, 0.028686367, 0.028686367, 0.028686367, 0.0175252594, 0.0175252594, 0.0175252594, 0.0175252594]> : tensor<32xf32>
    %1 = kiln.constant dense<[0.040947333, 0.040947333, 0.040947333, 0.040947333, -0.0187324136, -0.0187324136, -0.0187324136, -0.0187324136, 0.00597286224, 0.00597286224, 0.00597286224, 0.00597286224, -0.0369461179, -0.0369461179, -0.0369461179, -0.0369461179, -0.0222295225, -0.0222295225, -0.0222295225, -0.0222295225, 0.0227199569, 0.0227199569, 0.0227199569, 0.0227199569, 0.0412460193, 0.0412460193, 0.0412460193, 0.0412460193, 8.64312052E-4, 8.64312052E-4, 8.64312052E-4, 8.64312052E-4, -0.040713042, -0.040713042, -0.040713042, -0.040713042, 0.0233789235, 0.0233789235, 0.0233789235, 0.0233789235, -0.0395239592, -0.0395239592, -0.0395239592, -0.0395239592, -0.0406478941, -0.0406478941, -0.0406478941, -0.0406478941, -0.056111604, -0.056111604, -0.056111604, -0.056111604, 0.0193026885, 0.0193026885, 0.0193026885, 0.0193026885, -0.0468530133, -0.0468530133, -0.0468530133, -0.0468530133, 0.0306260139, 0.0306260139, 0.0306260139, 0.0306260139]> : tensor<64xf32>
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    %2 = kiln.constant dense<[[[0.0752242431, -0.172311023, -0.127723902, -0.274636209, 0.132522777, 0.238985345, -0.0729034692], [0.0881561338, 0.11274761, 0.196664438, 0.125088766, -0.286975443, -0.137841851, 0.0772135481], [-0.0623216555, -0.0354175605, 0.26569587, 0.0266181864, -0.255873501, 0.03022765, 0.327445865], [-0.0767793804, 0.153654471, -0.0672604218, 0.0117463451, 0.0249453131, -0.160104826, 0.136894688], [0.14238213, 0.157270849, 0.0549821518, -0.0247504991, 0.0566121489, -0.126713485, -0.165733442], [0.126090094, -0.268426031, 0.150240183, -0.459995151, -0.0220383797, -0.0808851197, -0.121005237], [-0.194571093, 0.269513547, -0.047107894, 0.122631289, -0.0257995725, 0.115574241, -0.236950725], [-0.126902729, -0.230800599, -0.348536044, 0.185752213, 0.167386293, 0.269772142, -0.0318576097]]]> : tensor<1x8x7xf32>
    %3 = kiln.constant dense<[-0.0860123336, -0.033082772, 0.067558594, 0.0452149175, -0.0681945458, -0.0794111713, 0.00311235129, -8.15658786E-5]> : tensor<8xf32>
    %4 = kiln.constant dense<[-0.0729245171, 0.0824635624, 0.165390626, -0.149028257, 0.0690600425, -0.119126253, -0.129956529, -0.0534532182]> : tensor<8xf32>
    %5 = kiln.constant dense<[0.115821376, -0.00176517607, -0.0401583947, -0.199459612, -0.102746673, 0.122536063, -0.0393424183, -0.174573824]> : tensor<8xf32>
    %6 = kiln.constant dense<[-0.0940470397, 0.138167113, -0.0635339543, 0.162293389, 0.1248959, -0.203059629, 0.0162860435, -0.0937975719]> : tensor<8xf32>
    %7 = kiln.constant dense<[0.0356077589, 0.091969937, 0.0500253774, 0.0884238556, 0.065005593, -0.135727644, 0.104374513, -0.0450887457, -0.110879384, -0.0442921072, -0.0952975451, 0.0199104119, -0.127918243, 0.142269254, 0.0359880365, -0.013483366]> : tensor<16xf32>
    %8 = kiln.constant dense<[-0.0737944767, -0.10318213, 0.0297257397, 0.126109585, 0.116911508, 0.127936348, -0.0127488943, -0.0079468349, 0.0433983244, -0.0519060679, -0.0419887267, 0.00594616309, 0.0752813146, -0.12406785, -0.0581289977, 0.0201052576]> : tensor<16xf32>
    %9 = kiln.constant dense<[-0.0891223103, 0.100051045, 0.140363052, -0.0806058943, 0.0437992327, 0.123731516, -0.0179275144, 0.00325394981, -0.0899713411, 0.0164218545, 0.00381212472, -0.00887713208, -0.00715374108, 0.0302975941, 0.0656132177, 0.0421384722]> : tensor<16xf32>
    %10 = kiln.constant dense<[0.0977800786, 0.0555542335, 0.0480926521, -0.045362018, -0.0690000877, -0.107208125, -0.0187828783, -0.119972833, 0.136856675, 0.130687162, 0.0342928618, 0.111490779, -0.0970499143, 0.0455109067, 0.119755208, -0.0520057268]> : tensor<16xf32>
    %11 = kiln.constant dense<[-0.0460530743, -0.0136553412, -0.00168006658, -0.0534819849, -0.00584580423, -0.0198486745, -0.0393521376, -0.037761081, -0.0585756637, -0.019912824, 0.033287432, -0.0285395551, -0.0475230552, 0.0101412758, 0.0440124311, 0.0108860284, 0.0117422258, -0.0243136175, -0.0344672538, 0.0470946468, -0.0569861643, 0.0226621684, 0.0421440564, 0.0418350771, 0.0303132012, -0.0349834673, 0.0174945127, -0.0121324081, -0.00983166788, -0.0644298568, -0.0642296821, 0.0282050092]> : tensor<32xf32>
    %12 = kiln.constant dense<[0.0874254778, 0.169871137, -0.00924368855, 0.135527313, -0.00780751369, -0.0529170521, 0.0667926148, -0.119671695, 1.202820e-01, -0.091412127, -3.163690e-03, -0.149008095, -0.170971766, -0.0852633491, 0.0146714859, 0.0655071139]> : tensor<16xf32>
    %13 = kiln.constant dense<[-0.0647666156, 7.994340e-02, 0.00393575709, 0.125788763, -0.157982379, -0.0353743546, 0.0614557713, -0.018916728, -0.168757901, 0.122745484, 0.109305128, 0.0473350212, -0.0166263208, -0.175212532, -0.0814248621, -0.0381006226, -0.120834634, -0.122279406, 0.151772335, -0.0427089185, -0.113855772, -0.107317634, 0.0410702489, -0.0493255109, 0.0446433946, -0.00586047722, 0.0645385385, -1.187000e-01, 0.0418441072, -0.0702873915, 0.0292475522, 0.144812778]> : tensor<32xf32>
    %14 = kiln.constant dense<[-0.0270160902, 0.019161474, 0.0710578337, 0.0498604663, -0.0284144431, -0.057904128, -0.0395207144, 0.0404331312, 0.0392851457, -0.0067999307, 0.00393973384, 0.033466965, 0.033103127, -0.0309198704, -0.0399273075, -0.0102336165, -0.00760741625, -0.0540717356, -0.0144686522, 0.0465214029, -0.0438396186, 0.0512086749, 0.0114306472, 0.0141733224, 0.069776535, -0.0175294559, 0.0665313378, -0.00960638095, -0.0378612243, -0.0254683904, -0.0595745407, -0.0274106022, 0.0222336147, 0.0470602289, -0.0508716702, -0.0650765151, -0.037628416, -0.0700989142, 0.0773515999, -0.0242927726, -0.049625311, 0.0419114754, 2.714770e-04, -0.0384507142, 0.0775387138, 0.0634068847, -0.059300404, 0.0280738585, -5.599600e-02, 0.0676913187, 0.0423872545, 0.00397774251, 0.0574301668, -0.0494930968, -0.00339474436, 0.0394349732, -0.0347439684, 0.0184710305, -0.058610037, 0.0548073426, -0.00119190337, -0.0160553213, -0.042239923, -0.00695714727]> : tensor<64xf32>
    %15 = kiln.constant dense<[0.0707356334, -0.134732276, -0.0661143661, -0.0464849472, -0.145268559, 0.0500388145, -0.189228922, 0.0588465035, 0.00676688552, 0.206425369, 0.190987885, 0.135825187, -0.244094729, -0.0851556956, -0.0323753953, -0.0549501181, 0.193147272, 0.125919342, 0.124920726, -0.123413235, 0.056489557, 0.0215599835, -0.0795306861, 0.0753770471, 0.138370305, 0.144478142, -0.160715878, -0.109043986, 0.139018595, 0.00146594644, -0.241586894, 0.0935973525]> : tensor<32xf32>
    %16 = kiln.constant dense<[-0.0672728419, 0.176475257, 0.0590196215, -0.00661648623, -0.0639535412, 0.16782175, 0.170296893, -0.010886889, -0.110976763, 0.149055734, 0.149978906, -0.0823296979, -0.15049383, 0.00465760613, 0.0727565885, 0.045910731, -0.0726046711, 0.0966416075, -0.0108707463, -0.142256618, -0.120682143, 0.117875226, 0.159188583, 0.120511554, -0.157727987, -0.156984463, -0.148647398, -0.128984615, 0.0126217585, -0.0408203378, -0.0874456241, -0.172545508, 0.0181753226, 0.0106906742, 0.0800709202, -0.0143930223, -0.0308333691, -0.118479297, 0.0958932861, 0.155360639, -0.169708773, -0.144028634, -0.0708957165, -0.0660490394, 0.0897975489, 0.125932992, -0.105569258, -0.149771079, 0.0832805261, 0.175811902, -0.173980355, -0.155033052, 0.136058837, 0.130947202, -0.159306571, -0.0256137978, 0.0361802243, 0.17165041, 0.0617948249, -0.0121035418, 0.0813620463, -0.0332795084, 0.0720940158, 0.141399741]> : tensor<64xf32>
    %17 = kiln.constant dense<[-4.697620e-02, 0.0187653955, -0.101293713, -0.0986544266, -0.0189935826, 0.0268527791, -0.0841066688, 0.0252718199, 0.090057291, 0.0719370171, 0.0491691604, 0.0873476862, 0.0631846115, 0.0558175817, 0.00734680519, -0.0909392387, 0.0944549739, -0.0609443933, -0.0101572145, -0.0388354808, -0.0171453692, -0.090783596, 0.092793554, -0.0809442996, -0.0350831822, 0.0657265484, 0.0252684727, 0.0766869336, -0.0265944544, -0.0765112266, 0.0111987609, -0.0106667578]> : tensor<32xf32>
    %18 = kiln.constant dense<[0.0975349545, -0.0164450742, -0.0941868051, -0.0359197669, -0.0764668658, 0.0488641411, -3.871050e-02, 0.0391256809, 0.0165579095, -0.0877241864, 0.0462522209, 0.0262887888, -0.00824317802, -0.0756002739, 0.0693179518, 0.0817134827, 0.0740317851, -0.0500049815, 0.027367115, 0.0825970172, 0.101823069, -0.0593256094, -0.0487579256, 0.0840210318, 0.0948678925, 0.0511914939, -0.0344436504, 0.0187420361, -0.0474515557, -0.0318212397, 0.055119127, -0.0798288062]> : tensor<32xf32>
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c-1 = arith.constant -1 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg1, %c0 : tensor<?x?xi64>
    %dim_0 = tensor.dim %arg1, %c1 : tensor<?x?xi64>
    %19 = arith.muli %dim, %dim_0 : index
    %20 = arith.cmpi eq, %19, %19 : index
    cf.assert %20, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %21 = kiln.reshape %arg1 [%dim, %dim_0, 1] : tensor<?x?xi64> -> tensor<?x?x1xi64>
    %22 = kiln.launch @convert_DxDx1xf32(%21) extents(%dim, %dim_0) {kiln.op_locations = [loc("model.onnx: node '/m/Cast' (Cast)")], label = "model.onnx: node '/m/Cast' (Cast)"} : (tensor<?x?x1xi64>) -> tensor<?x?x1xf32>
    %dim_1 = tensor.dim %arg0, %c0 : tensor<?x?xi64>
    %dim_2 = tensor.dim %arg0, %c1 : tensor<?x?xi64>
    %23 = kiln.weight "53896f31bc755b731e5e3cde36b9839a6cf4a5e5710cc108a9a1ca42a741c4ef" {label = "m.text_encoder.embed_tokens.weight"} : tensor<40x32xf32>
    %24 = kiln.launch @convert_DxDxi1(%arg1) extents(%dim, %dim_0) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Cast' (Cast)")], label = "model.onnx: node '/m/text_encoder/encoder/Cast' (Cast)"} : (tensor<?x?xi64>) -> tensor<?x?xi1>
    %25 = arith.maxsi %dim_1, %c0 : index
    %26 = kiln.launch @iota_Dxi64(%25) extents(%25) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Range' (Range)")], label = "model.onnx: node '/m/text_encoder/encoder/Range' (Range)"} : (index) -> tensor<?xi64>
    %27 = arith.maxsi %dim_2, %c0 : index
    %28 = kiln.launch @iota_Dxi64(%27) extents(%27) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Range_1' (Range)")], label = "model.onnx: node '/m/text_encoder/encoder/Range_1' (Range)"} : (index) -> tensor<?xi64>
    %29 = arith.maxsi %dim_0, %c0 : index
    %30 = kiln.launch @iota_Dxi64(%29) extents(%29) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Range_2' (Range)")], label = "model.onnx: node '/m/text_encoder/encoder/Range_2' (Range)"} : (index) -> tensor<?xi64>
    %31 = kiln.reshape %26 [%25, 1, 1, 1] : tensor<?xi64> -> tensor<?x1x1x1xi64>
    %32 = kiln.reshape %28 [1, 1, %27, 1] : tensor<?xi64> -> tensor<1x1x?x1xi64>
    %33 = kiln.reshape %30 [1, 1, 1, %29] : tensor<?xi64> -> tensor<1x1x1x?xi64>
    cf.assert %20, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %34 = kiln.reshape %24 [%19, 1] : tensor<?x?xi1> -> tensor<?x1xi1>
    %35 = kiln.launch @from_elements_1xi64(%dim_0) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Mul' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/Mul' (Mul)"} : (index) -> tensor<1xi64>
    %36 = arith.muli %25, %29 : index
    %37 = arith.cmpi eq, %36, %c0 : index
    %38 = arith.cmpi ne, %19, %c0 : index
    %39 = arith.ori %37, %38 : i1
    cf.assert %39, "expects elements along the indexed axis" {kiln.shows_operands}
    %40 = kiln.launch @mul_add_gather_Dx1x1xDx1xi1(%31, %35, %33, %34) extents(%25, %29) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Mul' (Mul)"), loc("model.onnx: node '/m/text_encoder/encoder/Add' (Add)"), loc("model.onnx: node '/m/text_encoder/encoder/Gather_4' (Gather)")], label = "model.onnx: node '/m/text_encoder/encoder/Gather_4' (Gather)"} : (tensor<?x1x1x1xi64>, tensor<1xi64>, tensor<1x1x1x?xi64>, tensor<?x1xi1>) -> tensor<?x1x1x?x1xi1>
    %41 = arith.cmpi eq, %36, %36 : index
    cf.assert %41, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %42 = kiln.reshape %40 [%25, 1, 1, %29] : tensor<?x1x1x?x1xi1> -> tensor<?x1x1x?xi1>
    %43 = kiln.launch @compare_and_Dx1xDxDxi1(%32, %42) extents(%25, %27, %29) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/GreaterOrEqual' (GreaterOrEqual)"), loc("model.onnx: node '/m/text_encoder/encoder/And_1' (And)")], label = "model.onnx: node '/m/text_encoder/encoder/And_1' (And)"} : (tensor<1x1x?x1xi64>, tensor<?x1x1x?xi1>) -> tensor<?x1x?x?xi1>
    %44 = arith.cmpi eq, %dim_1, %c-1 : index
    %45 = arith.cmpi eq, %dim_2, %c-1 : index
    %46 = arith.cmpi eq, %dim_0, %c-1 : index
    %47 = arith.select %44, %c1, %dim_1 : index
    %48 = arith.select %45, %c1, %dim_2 : index
    %49 = arith.select %46, %c1, %dim_0 : index
    %50 = arith.cmpi eq, %29, %c1 : index
    %51 = arith.select %50, %49, %29 : index
    %52 = arith.cmpi eq, %27, %c1 : index
    %53 = arith.select %52, %48, %27 : index
    %54 = arith.cmpi eq, %25, %c1 : index
    %55 = arith.select %54, %47, %25 : index
    %56 = arith.cmpi eq, %25, %55 : index
    cf.assert %56, "expects the extent of 'x' along axis 0" {kiln.shows_operands}
    %57 = arith.cmpi eq, %27, %53 : index
    cf.assert %57, "expects the extent of 'x' along axis 2" {kiln.shows_operands}
    %58 = arith.cmpi eq, %29, %51 : index
    cf.assert %58, "expects the extent of 'x' along axis 3" {kiln.shows_operands}
    %59 = arith.cmpi eq, %dim, %dim_1 : index
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %60 = arith.cmpi eq, %dim_0, %dim_2 : index
    cf.assert %60, "expects operands of one extent along axis 1" {kiln.shows_operands}
    %61 = kiln.launch @gather_mul_mul_DxDx32xf32(%23, %arg0, %22) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/embed_tokens/Gather' (Gather)"), loc("model.onnx: node '/m/text_encoder/Mul' (Mul)"), loc("model.onnx: node '/m/text_encoder/encoder/Mul_2' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/Mul_2' (Mul)"} : (tensor<40x32xf32>, tensor<?x?xi64>, tensor<?x?x1xf32>) -> tensor<?x?x32xf32>
    %62 = kiln.weight "7343fe676d5942220ecaf244b5620ed967b8158ee10adce4b603d20a426bd268" {label = "onnx::MatMul_1033"} : tensor<32x32xf32>
    %63 = kiln.launch @matmul_add_mul_DxDx32xf32(%61, %62) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/q_proj/MatMul' (MatMul)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/q_proj/Add' (Add)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Mul' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Mul' (Mul)"} : (tensor<?x?x32xf32>, tensor<32x32xf32>) -> tensor<?x?x32xf32>
    %64 = kiln.weight "763a7c12e151418035b1518d9428722a8a4701105dbbfb6bda516b6dc1526a47" {label = "onnx::MatMul_1034"} : tensor<32x32xf32>
    %65 = kiln.launch @matmul_add_DxDx32xf32(%61, %64) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/k_proj/MatMul' (MatMul)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/k_proj/Add' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/k_proj/Add' (Add)"} : (tensor<?x?x32xf32>, tensor<32x32xf32>) -> tensor<?x?x32xf32>
    %66 = arith.muli %dim_1, %dim_2 : index
    %67 = arith.muli %66, %c32 : index
    %68 = arith.cmpi eq, %67, %67 : index
    cf.assert %68, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %69 = kiln.reshape %65 [%dim_1, %dim_2, 2, 16] : tensor<?x?x32xf32> -> tensor<?x?x2x16xf32>
    %70 = kiln.launch @transpose_Dx2xDx16xf32(%69) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose' (Transpose)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose' (Transpose)"} : (tensor<?x?x2x16xf32>) -> tensor<?x2x?x16xf32>
    %71 = kiln.weight "375c1c04ccb306d93aa76a35366f0211ea248e8e62a1420e32ca1d147161acfd" {label = "onnx::MatMul_1041"} : tensor<32x32xf32>
    %72 = kiln.launch @matmul_add_DxDx32xf32(%61, %71) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/v_proj/MatMul' (MatMul)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/v_proj/Add' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/v_proj/Add' (Add)"} : (tensor<?x?x32xf32>, tensor<32x32xf32>) -> tensor<?x?x32xf32>
    cf.assert %68, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %73 = kiln.reshape %72 [%dim_1, %dim_2, 2, 16] : tensor<?x?x32xf32> -> tensor<?x?x2x16xf32>
    %74 = kiln.launch @transpose_Dx2xDx16xf32(%73) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose_1' (Transpose)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose_1' (Transpose)"} : (tensor<?x?x2x16xf32>) -> tensor<?x2x?x16xf32>
    %75 = arith.muli %dim_1, %c2 : index
    cf.assert %68, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %76 = kiln.reshape %63 [%dim_1, %dim_2, 2, 16] : tensor<?x?x32xf32> -> tensor<?x?x2x16xf32>
    %77 = kiln.launch @transpose_Dx2xDx16xf32(%76) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose_2' (Transpose)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose_2' (Transpose)"} : (tensor<?x?x2x16xf32>) -> tensor<?x2x?x16xf32>
    %78 = arith.muli %75, %dim_2 : index
    %79 = arith.divsi %78, %75 : index
    %80 = arith.muli %78, %c16 : index
    %81 = arith.muli %75, %79 : index
    %82 = arith.muli %81, %c16 : index
    %83 = arith.cmpi eq, %80, %82 : index
    cf.assert %83, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %84 = kiln.reshape %77 [%75, %79, 16] : tensor<?x2x?x16xf32> -> tensor<?x?x16xf32>
    cf.assert %83, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %85 = kiln.reshape %70 [%75, %79, 16] : tensor<?x2x?x16xf32> -> tensor<?x?x16xf32>
    cf.assert %83, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %86 = kiln.reshape %74 [%75, %79, 16] : tensor<?x2x?x16xf32> -> tensor<?x?x16xf32>
    %87 = arith.subi %79, %c5 : index
    %88 = kiln.weight "110d719990087edf826dfd636b88122b5b64be20a24c029c58456f30c242373e" {label = "m.text_encoder.encoder.layers.0.attention.emb_rel_k"} : tensor<1x9x16xf32>
    %89 = arith.cmpi sge, %87, %c0 : index
    cf.assert %89, "expects amounts >= 0 along axis 1" {kiln.shows_operands}
    cf.assert %89, "expects amounts >= 0 along axis 1" {kiln.shows_operands}
    %90 = arith.addi %79, %c4 : index
    %91 = arith.addi %90, %87 : index
    %92 = kiln.launch @pad_1xDx16xf32(%88, %87) extents(%91) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad' (Pad)"} : (tensor<1x9x16xf32>, index) -> tensor<1x?x16xf32>
    %93 = arith.muli %79, %c2 : index
    %94 = arith.subi %93, %c1 : index
    %95 = arith.cmpi slt, %94, %c0 : index
    %96 = arith.addi %94, %91 : index
    %97 = arith.select %95, %96, %94 : index
    %98 = arith.maxsi %97, %c0 : index
    %99 = arith.minsi %98, %91 : index
    %100 = arith.cmpi sge, %99, %c0 : index
    cf.assert %100, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    %101 = arith.cmpi sle, %99, %91 : index
    cf.assert %101, "expects a slice that ends inside of 'x' along axis 1" {kiln.shows_operands}
    %102 = kiln.launch @slice_1xDx16xf32(%92, %99) extents(%99) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_1' (Slice)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_1' (Slice)"} : (tensor<1x?x16xf32>, index) -> tensor<1x?x16xf32>
    %103 = kiln.launch @matmul_DxDxDxf32(%84, %102) extents(%75, %79, %99) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/MatMul_1' (MatMul)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/MatMul_1' (MatMul)"} : (tensor<?x?x16xf32>, tensor<1x?x16xf32>) -> tensor<?x?x?xf32>
    %104 = arith.addi %99, %c1 : index
    %105 = kiln.launch @pad_DxDxDxf32(%103) extents(%75, %79, %104) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_1' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_1' (Pad)"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %106 = arith.muli %93, %79 : index
    %107 = arith.muli %81, %104 : index
    %108 = arith.muli %75, %106 : index
    %109 = arith.cmpi eq, %107, %108 : index
    cf.assert %109, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %110 = kiln.reshape %105 [%75, %106] : tensor<?x?x?xf32> -> tensor<?x?xf32>
    %111 = arith.subi %79, %c1 : index
    %112 = arith.cmpi sge, %111, %c0 : index
    cf.assert %112, "expects amounts >= 0 along axis 1" {kiln.shows_operands}
    %113 = arith.addi %106, %111 : index
    %114 = kiln.launch @pad_DxDxf32(%110, %111) extents(%75, %113) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_2' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_2' (Pad)"} : (tensor<?x?xf32>, index) -> tensor<?x?xf32>
    %115 = arith.addi %79, %c1 : index
    %116 = arith.muli %75, %113 : index
    %117 = arith.muli %75, %115 : index
    %118 = arith.muli %117, %94 : index
    %119 = arith.cmpi eq, %116, %118 : index
    cf.assert %119, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %120 = kiln.reshape %114 [%75, %115, %94] : tensor<?x?xf32> -> tensor<?x?x?xf32>
    %121 = arith.cmpi slt, %79, %c0 : index
    %122 = arith.addi %79, %115 : index
    %123 = arith.select %121, %122, %79 : index
    %124 = arith.maxsi %123, %c0 : index
    %125 = arith.minsi %124, %115 : index
    %126 = arith.cmpi sge, %75, %c0 : index
    cf.assert %126, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    %127 = arith.cmpi sge, %125, %c0 : index
    cf.assert %127, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    %128 = arith.cmpi sle, %125, %115 : index
    cf.assert %128, "expects a slice that ends inside of 'x' along axis 1" {kiln.shows_operands}
    %129 = arith.cmpi sge, %94, %c0 : index
    cf.assert %129, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %130 = kiln.launch @slice_DxDxDxf32(%120, %75, %125, %94) extents(%75, %125, %94) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_4' (Slice)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_4' (Slice)"} : (tensor<?x?x?xf32>, index, index, index) -> tensor<?x?x?xf32>
    %131 = arith.cmpi slt, %111, %c0 : index
    %132 = arith.addi %111, %94 : index
    %133 = arith.select %131, %132, %111 : index
    %134 = arith.maxsi %133, %c0 : index
    %135 = arith.minsi %134, %94 : index
    %136 = arith.subi %94, %135 : index
    %137 = arith.maxsi %136, %c0 : index
    cf.assert %126, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    cf.assert %127, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    %138 = arith.cmpi sge, %135, %c0 : index
    cf.assert %138, "expects an offset >= 0 along axis 2" {kiln.shows_operands}
    %139 = arith.cmpi sge, %137, %c0 : index
    cf.assert %139, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %140 = arith.addi %135, %137 : index
    %141 = arith.cmpi sle, %140, %94 : index
    cf.assert %141, "expects a slice that ends inside of 'x' along axis 2" {kiln.shows_operands}
    %142 = arith.cmpi eq, %125, %79 : index
    cf.assert %142, "expects operands of one extent along axis 1" {kiln.shows_operands}
    %143 = arith.cmpi eq, %137, %79 : index
    cf.assert %143, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %144 = kiln.launch @matmul_slice_add_DxDxDxf32(%84, %85, %130, %135, %75, %125, %137) extents(%75, %79, %79) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/MatMul' (MatMul)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_5' (Slice)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Add_1' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Add_1' (Add)"} : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x?xf32>, index, index, index, index) -> tensor<?x?x?xf32>
    %145 = arith.muli %81, %79 : index
    %146 = arith.muli %78, %79 : index
    %147 = arith.cmpi eq, %145, %146 : index
    cf.assert %147, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %148 = kiln.reshape %144 [%dim_1, 2, %dim_2, %79] : tensor<?x?x?xf32> -> tensor<?x2x?x?xf32>
    %149 = arith.cmpi eq, %55, %dim_1 : index
    cf.assert %149, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %150 = arith.cmpi eq, %53, %dim_2 : index
    cf.assert %150, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %151 = arith.cmpi eq, %51, %79 : index
    cf.assert %151, "expects operands of one extent along axis 3" {kiln.shows_operands}
    %152 = kiln.launch @broadcast_select_add_Dx2xDxDxf32(%43, %55, %53, %51, %148) extents(%dim_1, %dim_2, %79) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/Expand' (Expand)"), loc("model.onnx: node '/m/text_encoder/encoder/Where_1' (Where)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Add_2' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Add_2' (Add)"} : (tensor<?x1x?x?xi1>, index, index, index, tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
    %153 = arith.cmpi eq, %146, %146 : index
    cf.assert %153, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %154 = kiln.reshape %152 [%75, %dim_2, %79] : tensor<?x2x?x?xf32> -> tensor<?x?x?xf32>
    %155 = kiln.launch @softmax_DxDxDxf32(%154) extents(%75, %dim_2, %79) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Softmax' (Softmax)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Softmax' (Softmax)"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %156 = kiln.weight "5426a800d0a90b8503e8ef2e495bdb7a04b982da1481832c89f8f671687ff3ef" {label = "m.text_encoder.encoder.layers.0.attention.emb_rel_v"} : tensor<1x9x16xf32>
    cf.assert %89, "expects amounts >= 0 along axis 1" {kiln.shows_operands}
    cf.assert %89, "expects amounts >= 0 along axis 1" {kiln.shows_operands}
    %157 = kiln.launch @pad_1xDx16xf32(%156, %87) extents(%91) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_3' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_3' (Pad)"} : (tensor<1x9x16xf32>, index) -> tensor<1x?x16xf32>
    cf.assert %100, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    cf.assert %101, "expects a slice that ends inside of 'x' along axis 1" {kiln.shows_operands}
    %158 = kiln.launch @slice_1xDx16xf32(%157, %99) extents(%99) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_7' (Slice)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_7' (Slice)"} : (tensor<1x?x16xf32>, index) -> tensor<1x?x16xf32>
    %159 = arith.subi %dim_2, %c1 : index
    %160 = arith.cmpi sge, %159, %c0 : index
    cf.assert %160, "expects amounts >= 0 along axis 2" {kiln.shows_operands}
    %161 = arith.addi %79, %159 : index
    %162 = kiln.launch @pad_DxDxDxf32_0(%155, %159) extents(%75, %dim_2, %161) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_4' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_4' (Pad)"} : (tensor<?x?x?xf32>, index) -> tensor<?x?x?xf32>
    %163 = arith.muli %dim_2, %c2 : index
    %164 = arith.subi %163, %c1 : index
    %165 = arith.muli %dim_2, %164 : index
    %166 = arith.muli %78, %161 : index
    %167 = arith.muli %75, %165 : index
    %168 = arith.cmpi eq, %166, %167 : index
    cf.assert %168, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %169 = kiln.reshape %162 [%75, %165] : tensor<?x?x?xf32> -> tensor<?x?xf32>
    %170 = arith.cmpi sge, %dim_2, %c0 : index
    cf.assert %170, "expects amounts >= 0 along axis 1" {kiln.shows_operands}
    %171 = arith.addi %dim_2, %165 : index
    %172 = kiln.launch @pad_DxDxf32_1(%169, %dim_2) extents(%75, %171) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_5' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Pad_5' (Pad)"} : (tensor<?x?xf32>, index) -> tensor<?x?xf32>
    %173 = arith.muli %75, %171 : index
    %174 = arith.muli %78, %163 : index
    %175 = arith.cmpi eq, %173, %174 : index
    cf.assert %175, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %176 = kiln.reshape %172 [%75, %dim_2, %163] : tensor<?x?xf32> -> tensor<?x?x?xf32>
    %177 = arith.minsi %163, %c1 : index
    %178 = arith.subi %163, %177 : index
    %179 = arith.maxsi %178, %c0 : index
    cf.assert %126, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    cf.assert %170, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    %180 = arith.cmpi sge, %177, %c0 : index
    cf.assert %180, "expects an offset >= 0 along axis 2" {kiln.shows_operands}
    %181 = arith.cmpi sge, %179, %c0 : index
    cf.assert %181, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %182 = arith.addi %177, %179 : index
    %183 = arith.cmpi sle, %182, %163 : index
    cf.assert %183, "expects a slice that ends inside of 'x' along axis 2" {kiln.shows_operands}
    %184 = kiln.launch @slice_DxDxDxf32_2(%176, %177, %75, %dim_2, %179) extents(%75, %dim_2, %179) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_10' (Slice)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Slice_10' (Slice)"} : (tensor<?x?x?xf32>, index, index, index, index) -> tensor<?x?x?xf32>
    %185 = arith.cmpi eq, %179, %99 : index
    cf.assert %185, "expects equal contracted extents" {kiln.shows_operands}
    %186 = kiln.launch @matmul_DxDx16xf32(%184, %158) extents(%75, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/MatMul_3' (MatMul)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/MatMul_3' (MatMul)"} : (tensor<?x?x?xf32>, tensor<1x?x16xf32>) -> tensor<?x?x16xf32>
    %187 = kiln.launch @matmul_add_DxDx16xf32(%155, %86, %186) extents(%75, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/MatMul_2' (MatMul)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Add_3' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Add_3' (Add)"} : (tensor<?x?x?xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %188 = arith.cmpi eq, %80, %80 : index
    cf.assert %188, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %189 = kiln.reshape %187 [%dim_1, 2, %dim_2, 16] : tensor<?x?x16xf32> -> tensor<?x2x?x16xf32>
    %190 = kiln.launch @transpose_DxDx2x16xf32(%189) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose_11' (Transpose)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/attention/Transpose_11' (Transpose)"} : (tensor<?x2x?x16xf32>) -> tensor<?x?x2x16xf32>
    cf.assert %68, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %191 = kiln.reshape %190 [%dim_1, %dim_2, 32] : tensor<?x?x2x16xf32> -> tensor<?x?x32xf32>
    %192 = kiln.weight "a0f0ca41eeb047d3a398ee481c7dc91f3108c95af05abfd02982cb90781ebd2c" {label = "onnx::MatMul_1118"} : tensor<32x32xf32>
    %193 = arith.cmpi eq, %dim_1, %dim_1 : index
    cf.assert %193, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %194 = arith.cmpi eq, %dim_2, %dim_2 : index
    cf.assert %194, "expects operands of one extent along axis 1" {kiln.shows_operands}
    %195 = kiln.launch @matmul_add_add_DxDx32xf32(%191, %192, %61) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/out_proj/MatMul' (MatMul)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/attention/out_proj/Add' (Add)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/Add' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/Add' (Add)"} : (tensor<?x?x32xf32>, tensor<32x32xf32>, tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %196 = kiln.launch @layer_norm_DxDx32xf32(%195) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/layer_norm/LayerNormalization' (LayerNormalization)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/layer_norm/LayerNormalization' (LayerNormalization)"} : (tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    cf.assert %20, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %197 = kiln.reshape %22 [%dim, 1, %dim_0] : tensor<?x?x1xf32> -> tensor<?x1x?xf32>
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %198 = kiln.launch @transpose_mul_Dx32xDxf32(%196, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Transpose' (Transpose)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Mul' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Mul' (Mul)"} : (tensor<?x?x32xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %199 = arith.addi %dim_2, %c2 : index
    %200 = kiln.launch @pad_Dx32xDxf32(%198) extents(%dim_1, %199) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Pad' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Pad' (Pad)"} : (tensor<?x32x?xf32>) -> tensor<?x32x?xf32>
    %201 = kiln.weight "3c1f8f3e53fa33520ba7de141153e1474701ae5f6dc7a467ebd86e4afe594011" {label = "m.text_encoder.encoder.layers.0.feed_forward.conv_1.weight"} : tensor<32x32x3xf32>
    %202 = arith.cmpi sge, %199, %c3 : index
    cf.assert %202, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %203 = kiln.launch @conv_relu_mul_Dx32xDxf32(%200, %201, %18, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/conv_1/Conv' (Conv)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/act_fn/Relu' (Relu)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Mul_1' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Mul_1' (Mul)"} : (tensor<?x32x?xf32>, tensor<32x32x3xf32>, tensor<32xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %204 = kiln.launch @pad_Dx32xDxf32(%203) extents(%dim_1, %199) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Pad_1' (Pad)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Pad_1' (Pad)"} : (tensor<?x32x?xf32>) -> tensor<?x32x?xf32>
    %205 = kiln.weight "449c60f3562374cea9e539cfe712fa03f8e57f6ae22c291eaaa23a73b3d948ce" {label = "m.text_encoder.encoder.layers.0.feed_forward.conv_2.weight"} : tensor<32x32x3xf32>
    cf.assert %202, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %206 = kiln.launch @conv_mul_Dx32xDxf32(%204, %205, %17, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/conv_2/Conv' (Conv)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Mul_2' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Mul_2' (Mul)"} : (tensor<?x32x?xf32>, tensor<32x32x3xf32>, tensor<32xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %207 = kiln.launch @transpose_add_DxDx32xf32(%206, %196) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/feed_forward/Transpose_4' (Transpose)"), loc("model.onnx: node '/m/text_encoder/encoder/layers.0/Add_1' (Add)")], label = "model.onnx: node '/m/text_encoder/encoder/layers.0/Add_1' (Add)"} : (tensor<?x32x?xf32>, tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 1" {kiln.shows_operands}
    %208 = kiln.launch @layer_norm_mul_DxDx32xf32(%207, %22) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/encoder/layers.0/final_layer_norm/LayerNormalization' (LayerNormalization)"), loc("model.onnx: node '/m/text_encoder/encoder/Mul_3' (Mul)")], label = "model.onnx: node '/m/text_encoder/encoder/Mul_3' (Mul)"} : (tensor<?x?x32xf32>, tensor<?x?x1xf32>) -> tensor<?x?x32xf32>
    %209 = kiln.launch @transpose_Dx32xDxf32(%208) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/Transpose' (Transpose)")], label = "model.onnx: node '/m/text_encoder/Transpose' (Transpose)"} : (tensor<?x?x32xf32>) -> tensor<?x32x?xf32>
    %210 = kiln.weight "3b3fd87620541558321f9e06c115168581e62542fda97288b607f1dc62752635" {label = "m.text_encoder.project.weight"} : tensor<64x32x1xf32>
    %211 = arith.cmpi sge, %dim_2, %c1 : index
    cf.assert %211, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %212 = kiln.launch @conv_Dx64xDxf32(%209, %210, %16) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/project/Conv' (Conv)")], label = "model.onnx: node '/m/text_encoder/project/Conv' (Conv)"} : (tensor<?x32x?xf32>, tensor<64x32x1xf32>, tensor<64xf32>) -> tensor<?x64x?xf32>
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 1" {kiln.shows_operands}
    %213 = kiln.launch @transpose_mul_DxDx64xf32(%212, %22) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/Transpose_1' (Transpose)"), loc("model.onnx: node '/m/text_encoder/Mul_1' (Mul)")], label = "model.onnx: node '/m/text_encoder/Mul_1' (Mul)"} : (tensor<?x64x?xf32>, tensor<?x?x1xf32>) -> tensor<?x?x64xf32>
    %214 = arith.cmpi sge, %dim_1, %c0 : index
    cf.assert %214, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    %215 = arith.cmpi sle, %dim_1, %dim_1 : index
    cf.assert %215, "expects a slice that ends inside of 'x' along axis 0" {kiln.shows_operands}
    cf.assert %170, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    %216 = arith.cmpi sle, %dim_2, %dim_2 : index
    cf.assert %216, "expects a slice that ends inside of 'x' along axis 1" {kiln.shows_operands}
    %217 = kiln.launch @slice_DxDx32xf32(%213, %dim_1, %dim_2) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/Split' (Split)")], label = "model.onnx: node '/m/text_encoder/Split' (Split)"} : (tensor<?x?x64xf32>, index, index) -> tensor<?x?x32xf32>
    cf.assert %214, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    cf.assert %215, "expects a slice that ends inside of 'x' along axis 0" {kiln.shows_operands}
    cf.assert %170, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    cf.assert %216, "expects a slice that ends inside of 'x' along axis 1" {kiln.shows_operands}
    %218 = kiln.launch @slice_DxDx32xf32_3(%213, %dim_1, %dim_2) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/text_encoder/Split' (Split)")], label = "model.onnx: node '/m/text_encoder/Split' (Split)"} : (tensor<?x?x64xf32>, index, index) -> tensor<?x?x32xf32>
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %219 = kiln.launch @mul_Dx32xDxf32(%209, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/Mul' (Mul)")], label = "model.onnx: node '/m/duration_predictor/Mul' (Mul)"} : (tensor<?x32x?xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %220 = kiln.weight "888399360fcc01fd4e6dddbb9acafb7c1c616a9d1d791af5671fb260bc19117a" {label = "m.duration_predictor.conv_1.weight"} : tensor<256x32x3xf32>
    %221 = kiln.weight "8932d1c1964ed1956645b56c0f4c725ecd5237e695031332f87f6058fd170275" {label = "m.duration_predictor.conv_1.bias"} : tensor<256xf32>
    cf.assert %202, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %222 = kiln.launch @conv_relu_Dx256xDxf32(%219, %220, %221) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/conv_1/Conv' (Conv)"), loc("model.onnx: node '/m/duration_predictor/Relu' (Relu)")], label = "model.onnx: node '/m/duration_predictor/Relu' (Relu)"} : (tensor<?x32x?xf32>, tensor<256x32x3xf32>, tensor<256xf32>) -> tensor<?x256x?xf32>
    %223 = kiln.launch @transpose_DxDx256xf32(%222) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/Transpose' (Transpose)")], label = "model.onnx: node '/m/duration_predictor/Transpose' (Transpose)"} : (tensor<?x256x?xf32>) -> tensor<?x?x256xf32>
    %224 = kiln.launch @layer_norm_DxDx256xf32(%223) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/norm_1/LayerNormalization' (LayerNormalization)")], label = "model.onnx: node '/m/duration_predictor/norm_1/LayerNormalization' (LayerNormalization)"} : (tensor<?x?x256xf32>) -> tensor<?x?x256xf32>
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %225 = kiln.launch @transpose_mul_Dx256xDxf32(%224, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/Transpose_1' (Transpose)"), loc("model.onnx: node '/m/duration_predictor/Mul_1' (Mul)")], label = "model.onnx: node '/m/duration_predictor/Mul_1' (Mul)"} : (tensor<?x?x256xf32>, tensor<?x1x?xf32>) -> tensor<?x256x?xf32>
    %226 = kiln.weight "b807e45c961ed82a14332580f42b83d31c0b01cb3ddcf25aa353661a4a28a08c" {label = "m.duration_predictor.conv_2.weight"} : tensor<256x256x3xf32>
    %227 = kiln.weight "ad3941861e452e43076127e29b825bee2842b4857ba135cc0014dc401cfd483a" {label = "m.duration_predictor.conv_2.bias"} : tensor<256xf32>
    cf.assert %202, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %228 = kiln.launch @conv_relu_Dx256xDxf32_4(%225, %226, %227) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/conv_2/Conv' (Conv)"), loc("model.onnx: node '/m/duration_predictor/Relu_1' (Relu)")], label = "model.onnx: node '/m/duration_predictor/Relu_1' (Relu)"} : (tensor<?x256x?xf32>, tensor<256x256x3xf32>, tensor<256xf32>) -> tensor<?x256x?xf32>
    %229 = kiln.launch @transpose_DxDx256xf32(%228) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/Transpose_2' (Transpose)")], label = "model.onnx: node '/m/duration_predictor/Transpose_2' (Transpose)"} : (tensor<?x256x?xf32>) -> tensor<?x?x256xf32>
    %230 = kiln.launch @layer_norm_DxDx256xf32(%229) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/norm_2/LayerNormalization' (LayerNormalization)")], label = "model.onnx: node '/m/duration_predictor/norm_2/LayerNormalization' (LayerNormalization)"} : (tensor<?x?x256xf32>) -> tensor<?x?x256xf32>
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %231 = kiln.launch @transpose_mul_Dx256xDxf32(%230, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/Transpose_3' (Transpose)"), loc("model.onnx: node '/m/duration_predictor/Mul_2' (Mul)")], label = "model.onnx: node '/m/duration_predictor/Mul_2' (Mul)"} : (tensor<?x?x256xf32>, tensor<?x1x?xf32>) -> tensor<?x256x?xf32>
    %232 = kiln.weight "90e000f55b2287776ec4f039030483320bcd560f7c8a03f1ee7511075322287a" {label = "m.duration_predictor.proj.weight"} : tensor<1x256x1xf32>
    cf.assert %211, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    cf.assert %59, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %60, "expects operands of one extent along axis 2" {kiln.shows_operands}
    %233 = kiln.launch @conv_mul_exp_mul_ceil_Dx1xDxf32(%231, %232, %197) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/duration_predictor/proj/Conv' (Conv)"), loc("model.onnx: node '/m/duration_predictor/Mul_3' (Mul)"), loc("model.onnx: node '/m/Exp' (Exp)"), loc("model.onnx: node '/m/Mul' (Mul)"), loc("model.onnx: node '/m/Ceil' (Ceil)")], label = "model.onnx: node '/m/Ceil' (Ceil)"} : (tensor<?x256x?xf32>, tensor<1x256x1xf32>, tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
    %234 = kiln.launch @reduce_clamp_convert_Dxi64(%233) extents(%dim_1) {kiln.op_locations = [loc("model.onnx: node '/m/ReduceSum' (ReduceSum)"), loc("model.onnx: node '/m/Clip' (Clip)"), loc("model.onnx: node '/m/Cast_1' (Cast)")], label = "model.onnx: node '/m/Cast_1' (Cast)"} : (tensor<?x1x?xf32>) -> tensor<?xi64>
    %235 = kiln.launch @reduce_i64(%234) {kiln.op_locations = [loc("model.onnx: node '/m/ReduceMax' (ReduceMax)")], label = "model.onnx: node '/m/ReduceMax' (ReduceMax)"} : (tensor<?xi64>) -> tensor<i64>
    %extracted = tensor.extract %235[] : tensor<i64>
    %236 = arith.index_cast %extracted : i64 to index
    %237 = arith.maxsi %236, %c0 : index
    %238 = kiln.launch @iota_Dxi64(%237) extents(%237) {kiln.op_locations = [loc("model.onnx: node '/m/Range' (Range)")], label = "model.onnx: node '/m/Range' (Range)"} : (index) -> tensor<?xi64>
    %239 = kiln.reshape %238 [1, %237] : tensor<?xi64> -> tensor<1x?xi64>
    cf.assert %193, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %240 = kiln.reshape %234 [%dim_1, 1] : tensor<?xi64> -> tensor<?x1xi64>
    %241 = kiln.launch @compare_DxDxi1(%239, %240) extents(%dim_1, %237) {kiln.op_locations = [loc("model.onnx: node '/m/Less' (Less)")], label = "model.onnx: node '/m/Less' (Less)"} : (tensor<1x?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1>
    %242 = arith.muli %dim_1, %237 : index
    %243 = arith.cmpi eq, %242, %242 : index
    cf.assert %243, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %244 = kiln.reshape %241 [%dim_1, 1, %237] : tensor<?x?xi1> -> tensor<?x1x?xi1>
    %245 = kiln.launch @convert_Dx1xDxf32(%244) extents(%dim_1, %237) {kiln.op_locations = [loc("model.onnx: node '/m/Cast_3' (Cast)")], label = "model.onnx: node '/m/Cast_3' (Cast)"} : (tensor<?x1x?xi1>) -> tensor<?x1x?xf32>
    cf.assert %20, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %246 = kiln.reshape %22 [%dim, 1, 1, %dim_0] : tensor<?x?x1xf32> -> tensor<?x1x1x?xf32>
    cf.assert %243, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %247 = kiln.reshape %245 [%dim_1, 1, %237, 1] : tensor<?x1x?xf32> -> tensor<?x1x?x1xf32>
    %248 = arith.cmpi eq, %dim_1, %dim : index
    cf.assert %248, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %249 = kiln.launch @cumulative_Dx1xDxf32(%233) extents(%dim_1, %dim_2) {kiln.op_locations = [loc("model.onnx: node '/m/CumSum' (CumSum)")], label = "model.onnx: node '/m/CumSum' (CumSum)"} : (tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
    %250 = arith.cmpi eq, %66, %19 : index
    cf.assert %250, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %251 = kiln.reshape %249 [%19, 1] : tensor<?x1x?xf32> -> tensor<?x1xf32>
    %252 = kiln.launch @from_elements_i64(%237) {kiln.op_locations = [loc("model.onnx: node '/m/Cast_4' (Cast)")], label = "model.onnx: node '/m/Cast_4' (Cast)"} : (index) -> tensor<i64>
    %253 = kiln.launch @convert_ceil_convert_i64(%252) {kiln.op_locations = [loc("model.onnx: node '/m/Cast_4' (Cast)"), loc("model.onnx: node '/m/Range_1' (Range)"), loc("model.onnx: node '/m/Range_1' (Range)")], label = "model.onnx: node '/m/Range_1' (Range)"} : (tensor<i64>) -> tensor<i64>
    %extracted_3 = tensor.extract %253[] : tensor<i64>
    %254 = arith.index_cast %extracted_3 : i64 to index
    %255 = arith.maxsi %254, %c0 : index
    %256 = kiln.launch @iota_add_Dxf32(%255) extents(%255) {kiln.op_locations = [loc("model.onnx: node '/m/Range_1' (Range)"), loc("model.onnx: node '/m/Range_1' (Range)")], label = "model.onnx: node '/m/Range_1' (Range)"} : (index) -> tensor<?xf32>
    %257 = kiln.reshape %256 [1, %255] : tensor<?xf32> -> tensor<1x?xf32>
    %258 = kiln.launch @compare_convert_DxDxf32(%257, %251) extents(%19, %255) {kiln.op_locations = [loc("model.onnx: node '/m/Less_1' (Less)"), loc("model.onnx: node '/m/Cast_5' (Cast)")], label = "model.onnx: node '/m/Cast_5' (Cast)"} : (tensor<1x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
    %259 = arith.muli %19, %255 : index
    %260 = arith.muli %19, %237 : index
    %261 = arith.cmpi eq, %259, %260 : index
    cf.assert %261, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %262 = kiln.reshape %258 [%dim, %dim_0, %237] : tensor<?x?xf32> -> tensor<?x?x?xf32>
    %263 = arith.addi %dim_0, %c1 : index
    %264 = kiln.launch @pad_DxDxDxf32_5(%262) extents(%dim, %263, %237) {kiln.op_locations = [loc("model.onnx: node '/m/Pad' (Pad)")], label = "model.onnx: node '/m/Pad' (Pad)"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %265 = arith.minsi %29, %263 : index
    %266 = arith.cmpi sge, %dim, %c0 : index
    cf.assert %266, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    %267 = arith.cmpi sge, %265, %c0 : index
    cf.assert %267, "expects a size >= 0 along axis 1" {kiln.shows_operands}
    %268 = arith.cmpi sle, %265, %263 : index
    cf.assert %268, "expects a slice that ends inside of 'x' along axis 1" {kiln.shows_operands}
    %269 = arith.cmpi sge, %237, %c0 : index
    cf.assert %269, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %270 = arith.cmpi eq, %265, %dim_0 : index
    cf.assert %270, "expects operands of one extent along axis 1" {kiln.shows_operands}
    %271 = kiln.launch @slice_sub_DxDxDxf32(%264, %dim, %265, %237, %262) extents(%dim, %dim_0, %237) {kiln.op_locations = [loc("model.onnx: node '/m/Slice_1' (Slice)"), loc("model.onnx: node '/m/Sub' (Sub)")], label = "model.onnx: node '/m/Sub' (Sub)"} : (tensor<?x?x?xf32>, index, index, index, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %272 = arith.cmpi eq, %260, %260 : index
    cf.assert %272, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %273 = kiln.reshape %271 [%dim, 1, %dim_0, %237] : tensor<?x?x?xf32> -> tensor<?x1x?x?xf32>
    %274 = kiln.launch @mul_transpose_mul_Dx1xDxDxf32(%246, %247, %273) extents(%dim, %237, %dim_0) {kiln.op_locations = [loc("model.onnx: node '/m/Mul_2' (Mul)"), loc("model.onnx: node '/m/Transpose_2' (Transpose)"), loc("model.onnx: node '/m/Mul_4' (Mul)")], label = "model.onnx: node '/m/Mul_4' (Mul)"} : (tensor<?x1x1x?xf32>, tensor<?x1x?x1xf32>, tensor<?x1x?x?xf32>) -> tensor<?x1x?x?xf32>
    %275 = arith.muli %dim, %237 : index
    %276 = arith.muli %275, %dim_0 : index
    %277 = arith.cmpi eq, %276, %276 : index
    cf.assert %277, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %278 = kiln.reshape %274 [%dim, %237, %dim_0] : tensor<?x1x?x?xf32> -> tensor<?x?x?xf32>
    cf.assert %60, "expects equal contracted extents" {kiln.shows_operands}
    cf.assert %248, "expects batch extents that are equal" {kiln.shows_operands}
    %279 = arith.cmpi eq, %dim, %c1 : index
    %280 = arith.select %279, %dim_1, %dim : index
    %281 = kiln.launch @matmul_DxDx32xf32(%278, %217) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/MatMul' (MatMul)")], label = "model.onnx: node '/m/MatMul' (MatMul)"} : (tensor<?x?x?xf32>, tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    cf.assert %60, "expects equal contracted extents" {kiln.shows_operands}
    cf.assert %248, "expects batch extents that are equal" {kiln.shows_operands}
    %282 = kiln.launch @matmul_DxDx32xf32(%278, %218) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/MatMul_1' (MatMul)")], label = "model.onnx: node '/m/MatMul_1' (MatMul)"} : (tensor<?x?x?xf32>, tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %283 = arith.muli %280, %c32 : index
    %284 = arith.muli %283, %237 : index
    %285 = kiln.launch @iota_random_normal_Dxf32(%284) extents(%284) {kiln.op_locations = [loc("model.onnx: node '/m/RandomNormalLike' (RandomNormalLike)"), loc("model.onnx: node '/m/RandomNormalLike' (RandomNormalLike)")], label = "model.onnx: node '/m/RandomNormalLike' (RandomNormalLike)"} : (index) -> tensor<?xf32>
    %286 = arith.cmpi eq, %284, %284 : index
    cf.assert %286, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %287 = kiln.reshape %285 [%280, 32, %237] : tensor<?xf32> -> tensor<?x32x?xf32>
    %288 = arith.cmpi eq, %280, %280 : index
    cf.assert %288, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %288, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %289 = kiln.launch @transpose_transpose_exp_mul_mul_and_1_Dx32xDxf32(%281, %282, %287) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/Transpose_3' (Transpose)"), loc("model.onnx: node '/m/Transpose_4' (Transpose)"), loc("model.onnx: node '/m/Exp_1' (Exp)"), loc("model.onnx: node '/m/Mul_5' (Mul)"), loc("model.onnx: node '/m/Mul_6' (Mul)"), loc("model.onnx: node '/m/Add' (Add)")], label = "model.onnx: node '/m/Add' (Add)"} : (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x32x?xf32>) -> tensor<?x32x?xf32>
    %290 = kiln.launch @reverse_Dx32xDxf32(%289) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/Slice' (Slice)")], label = "model.onnx: node '/m/flow/Slice' (Slice)"} : (tensor<?x32x?xf32>) -> tensor<?x32x?xf32>
    %291 = arith.cmpi sge, %280, %c0 : index
    cf.assert %291, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    %292 = arith.cmpi sle, %280, %280 : index
    cf.assert %292, "expects a slice that ends inside of 'x' along axis 0" {kiln.shows_operands}
    cf.assert %269, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %293 = kiln.launch @slice_Dx16xDxf32(%290, %280, %237) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/Split' (Split)")], label = "model.onnx: node '/m/flow/flows.0/Split' (Split)"} : (tensor<?x32x?xf32>, index, index) -> tensor<?x16x?xf32>
    cf.assert %291, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    cf.assert %292, "expects a slice that ends inside of 'x' along axis 0" {kiln.shows_operands}
    cf.assert %269, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %294 = kiln.weight "1d41d247681f805d4bfc09ce59ca17f5e11cd3358fbd5647932c25370870fff9" {label = "m.flow.flows.0.conv_pre.weight"} : tensor<32x16x1xf32>
    %295 = arith.cmpi sge, %237, %c1 : index
    cf.assert %295, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %296 = arith.cmpi eq, %dim_1, %280 : index
    cf.assert %296, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %297 = kiln.launch @conv_mul_Dx32xDxf32_6(%293, %294, %15, %245) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/conv_pre/Conv' (Conv)"), loc("model.onnx: node '/m/flow/flows.0/Mul' (Mul)")], label = "model.onnx: node '/m/flow/flows.0/Mul' (Mul)"} : (tensor<?x16x?xf32>, tensor<32x16x1xf32>, tensor<32xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %298 = kiln.weight "583e9c022fa3d4dbd1cc217d236e96b778385741d90f29198a66976bad73e742" {label = "onnx::Conv_1142"} : tensor<64x32x5xf32>
    %299 = arith.addi %237, %c4 : index
    %300 = arith.cmpi sge, %299, %c5 : index
    cf.assert %300, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %301 = kiln.launch @conv_broadcast_add_Dx64xDxf32(%297, %298, %14, %280, %237) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/wavenet/in_layers.0/Conv' (Conv)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/ConstantOfShape_1' (ConstantOfShape)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Add' (Add)")], label = "model.onnx: node '/m/flow/flows.0/wavenet/Add' (Add)"} : (tensor<?x32x?xf32>, tensor<64x32x5xf32>, tensor<64xf32>, index, index) -> tensor<?x64x?xf32>
    cf.assert %291, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    cf.assert %269, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    cf.assert %291, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    cf.assert %269, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %302 = kiln.launch @slice_tanh_slice_sigmoid_mul_Dx32xDxf32(%301, %280, %237) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/wavenet/Slice' (Slice)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Tanh' (Tanh)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Slice_1' (Slice)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Sigmoid' (Sigmoid)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Mul' (Mul)")], label = "model.onnx: node '/m/flow/flows.0/wavenet/Mul' (Mul)"} : (tensor<?x64x?xf32>, index, index) -> tensor<?x32x?xf32>
    %303 = kiln.weight "ddd12c8b9beef822fbb29c1e4a2663d1231ec5529403b6db154c1f4f22ab01ea" {label = "onnx::Conv_1153"} : tensor<32x32x1xf32>
    cf.assert %295, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    cf.assert %296, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %304 = kiln.launch @broadcast_conv_add_mul_Dx32xDxf32(%280, %237, %302, %303, %13, %245) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/wavenet/ConstantOfShape' (ConstantOfShape)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/res_skip_layers.0/Conv' (Conv)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Add_1' (Add)"), loc("model.onnx: node '/m/flow/flows.0/wavenet/Mul_1' (Mul)")], label = "model.onnx: node '/m/flow/flows.0/wavenet/Mul_1' (Mul)"} : (index, index, tensor<?x32x?xf32>, tensor<32x32x1xf32>, tensor<32xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %305 = kiln.weight "95a62af1f41d2813e17bdabbbefcfe59d2f01dcd968a0e26f59563e2046bf367" {label = "m.flow.flows.0.conv_post.weight"} : tensor<16x32x1xf32>
    cf.assert %295, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    cf.assert %296, "expects operands of one extent along axis 0" {kiln.shows_operands}
    cf.assert %296, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %306 = kiln.launch @slice_conv_mul_broadcast_sub_and_4_Dx16xDxf32(%290, %280, %237, %304, %305, %12, %245) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/Split' (Split)"), loc("model.onnx: node '/m/flow/flows.0/conv_post/Conv' (Conv)"), loc("model.onnx: node '/m/flow/flows.0/Mul_1' (Mul)"), loc("model.onnx: node '/m/flow/flows.0/ConstantOfShape' (ConstantOfShape)"), loc("model.onnx: node '/m/flow/flows.0/Sub' (Sub)"), loc("model.onnx: node '/m/flow/flows.0/Neg' (Neg)"), loc("model.onnx: node '/m/flow/flows.0/Exp' (Exp)"), loc("model.onnx: node '/m/flow/flows.0/Mul_2' (Mul)"), loc("model.onnx: node '/m/flow/flows.0/Mul_3' (Mul)")], label = "model.onnx: node '/m/flow/flows.0/Mul_3' (Mul)"} : (tensor<?x32x?xf32>, index, index, tensor<?x32x?xf32>, tensor<16x32x1xf32>, tensor<16xf32>, tensor<?x1x?xf32>) -> tensor<?x16x?xf32>
    %307 = kiln.launch @concat_Dx32xDxf32(%293, %306) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/flow/flows.0/Concat' (Concat)")], label = "model.onnx: node '/m/flow/flows.0/Concat' (Concat)"} : (tensor<?x16x?xf32>, tensor<?x16x?xf32>) -> tensor<?x32x?xf32>
    cf.assert %296, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %308 = kiln.launch @mul_Dx32xDxf32(%307, %245) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/Mul_7' (Mul)")], label = "model.onnx: node '/m/Mul_7' (Mul)"} : (tensor<?x32x?xf32>, tensor<?x1x?xf32>) -> tensor<?x32x?xf32>
    %309 = kiln.weight "bc462d0a5a11f6fc3fed049879cc4cbb289f2ff529a8964bb43a7bee21cccc05" {label = "m.decoder.conv_pre.weight"} : tensor<32x32x7xf32>
    %310 = arith.addi %237, %c6 : index
    %311 = arith.cmpi sge, %310, %c7 : index
    cf.assert %311, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %312 = kiln.launch @conv_leaky_relu_Dx32xDxf32(%308, %309, %11) extents(%280, %237) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/conv_pre/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/LeakyRelu' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/LeakyRelu' (LeakyRelu)"} : (tensor<?x32x?xf32>, tensor<32x32x7xf32>, tensor<32xf32>) -> tensor<?x32x?xf32>
    %313 = kiln.weight "952221a43f01a163d55cbfc68d2c62ede6592215440b2c350d576e62481d91a8" {label = "m.decoder.upsampler.0.weight"} : tensor<32x16x8xf32>
    %314 = arith.muli %237, %c4 : index
    %315 = kiln.reshape %313 [1, 32, 16, 2, 4] : tensor<32x16x8xf32> -> tensor<1x32x16x2x4xf32>
    %316 = kiln.launch @reverse_1x32x16x2x4xf32(%315) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)"} : (tensor<1x32x16x2x4xf32>) -> tensor<1x32x16x2x4xf32>
    %317 = kiln.launch @transpose_1x16x4x32x2xf32(%316) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)"} : (tensor<1x32x16x2x4xf32>) -> tensor<1x16x4x32x2xf32>
    %318 = kiln.reshape %317 [64, 32, 2] : tensor<1x16x4x32x2xf32> -> tensor<64x32x2xf32>
    %319 = arith.addi %237, %c2 : index
    %320 = arith.cmpi sge, %319, %c2 : index
    cf.assert %320, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %321 = arith.addi %237, %c1 : index
    %322 = kiln.launch @conv_Dx64xDxf32_7(%312, %318, %1) extents(%280, %321) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)"} : (tensor<?x32x?xf32>, tensor<64x32x2xf32>, tensor<64xf32>) -> tensor<?x64x?xf32>
    %323 = arith.muli %321, %c4 : index
    %324 = arith.muli %280, %c64 : index
    %325 = arith.muli %324, %321 : index
    %326 = arith.cmpi eq, %325, %325 : index
    cf.assert %326, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %327 = kiln.reshape %322 [%280, 16, 4, %321] : tensor<?x64x?xf32> -> tensor<?x16x4x?xf32>
    %328 = kiln.launch @transpose_Dx16xDx4xf32(%327) extents(%280, %321) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)"} : (tensor<?x16x4x?xf32>) -> tensor<?x16x?x4xf32>
    %329 = arith.muli %280, %c16 : index
    %330 = arith.muli %329, %321 : index
    %331 = arith.muli %330, %c4 : index
    %332 = arith.muli %329, %323 : index
    %333 = arith.cmpi eq, %331, %332 : index
    cf.assert %333, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %334 = kiln.reshape %328 [%280, 16, %323] : tensor<?x16x?x4xf32> -> tensor<?x16x?xf32>
    cf.assert %291, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    %335 = arith.cmpi sge, %314, %c0 : index
    cf.assert %335, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %336 = arith.addi %314, %c2 : index
    %337 = arith.cmpi sle, %336, %323 : index
    cf.assert %337, "expects a slice that ends inside of 'x' along axis 2" {kiln.shows_operands}
    %338 = kiln.launch @slice_Dx16xDxf32_8(%334, %280, %314) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.0/ConvTranspose' (ConvTranspose)"} : (tensor<?x16x?xf32>, index, index) -> tensor<?x16x?xf32>
    %339 = kiln.launch @leaky_relu_Dx16xDxf32(%338) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.0/LeakyRelu' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.0/LeakyRelu' (LeakyRelu)"} : (tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
    %340 = kiln.weight "58c65361bd317235e76b94d2cf022900d3bd3360cef2ea1bc1d7167aba16510d" {label = "m.decoder.resblocks.0.convs1.0.weight"} : tensor<16x16x3xf32>
    %341 = arith.cmpi sge, %336, %c3 : index
    cf.assert %341, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %342 = kiln.launch @conv_leaky_relu_Dx16xDxf32(%339, %340, %10) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.0/convs1.0/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.0/LeakyRelu_1' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.0/LeakyRelu_1' (LeakyRelu)"} : (tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32>) -> tensor<?x16x?xf32>
    %343 = kiln.weight "9653371a1a74a8ba240e6b5c5c43a9630c34f9c919786fc9dfd0742ec53a9c19" {label = "m.decoder.resblocks.0.convs2.0.weight"} : tensor<16x16x3xf32>
    cf.assert %341, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %344 = kiln.launch @conv_add_Dx16xDxf32(%342, %343, %9, %338) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.0/convs2.0/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.0/Add' (Add)")], label = "model.onnx: node '/m/decoder/resblocks.0/Add' (Add)"} : (tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32>, tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
    %345 = kiln.launch @leaky_relu_Dx16xDxf32(%344) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.0/LeakyRelu_2' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.0/LeakyRelu_2' (LeakyRelu)"} : (tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
    %346 = kiln.weight "522336c7b608b7f77c39613d6bed19c19caaaf50c03255e66f918d52037d27d0" {label = "m.decoder.resblocks.0.convs1.1.weight"} : tensor<16x16x3xf32>
    %347 = arith.addi %314, %c6 : index
    %348 = arith.cmpi sge, %347, %c7 : index
    cf.assert %348, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %349 = kiln.launch @conv_leaky_relu_Dx16xDxf32_9(%345, %346, %8) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.0/convs1.1/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.0/LeakyRelu_3' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.0/LeakyRelu_3' (LeakyRelu)"} : (tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32>) -> tensor<?x16x?xf32>
    %350 = kiln.weight "6dac92dcab782d0f31d077cd6ce5954bb2a4913fb31a38a42aecbc81c1a37202" {label = "m.decoder.resblocks.0.convs2.1.weight"} : tensor<16x16x3xf32>
    cf.assert %341, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %351 = kiln.launch @conv_add_leaky_relu_Dx16xDxf32(%349, %350, %7, %344) extents(%280, %314) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.0/convs2.1/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.0/Add_1' (Add)"), loc("model.onnx: node '/m/decoder/LeakyRelu_1' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/LeakyRelu_1' (LeakyRelu)"} : (tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32>, tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
    %352 = kiln.weight "80398fa89b189da4cc24f55a3032f355c73a2ce23be87e2773421ed3267c7b81" {label = "m.decoder.upsampler.1.weight"} : tensor<16x8x8xf32>
    %353 = arith.muli %237, %c16 : index
    %354 = kiln.reshape %352 [1, 16, 8, 2, 4] : tensor<16x8x8xf32> -> tensor<1x16x8x2x4xf32>
    %355 = kiln.launch @reverse_1x16x8x2x4xf32(%354) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)"} : (tensor<1x16x8x2x4xf32>) -> tensor<1x16x8x2x4xf32>
    %356 = kiln.launch @transpose_1x8x4x16x2xf32(%355) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)"} : (tensor<1x16x8x2x4xf32>) -> tensor<1x8x4x16x2xf32>
    %357 = kiln.reshape %356 [32, 16, 2] : tensor<1x8x4x16x2xf32> -> tensor<32x16x2xf32>
    %358 = arith.cmpi sge, %336, %c2 : index
    cf.assert %358, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %359 = arith.addi %314, %c1 : index
    %360 = kiln.launch @conv_Dx32xDxf32(%351, %357, %0) extents(%280, %359) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)"} : (tensor<?x16x?xf32>, tensor<32x16x2xf32>, tensor<32xf32>) -> tensor<?x32x?xf32>
    %361 = arith.muli %359, %c4 : index
    %362 = arith.muli %283, %359 : index
    %363 = arith.cmpi eq, %362, %362 : index
    cf.assert %363, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %364 = kiln.reshape %360 [%280, 8, 4, %359] : tensor<?x32x?xf32> -> tensor<?x8x4x?xf32>
    %365 = kiln.launch @transpose_Dx8xDx4xf32(%364) extents(%280, %359) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)"} : (tensor<?x8x4x?xf32>) -> tensor<?x8x?x4xf32>
    %366 = arith.muli %280, %c8 : index
    %367 = arith.muli %366, %359 : index
    %368 = arith.muli %367, %c4 : index
    %369 = arith.muli %366, %361 : index
    %370 = arith.cmpi eq, %368, %369 : index
    cf.assert %370, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %371 = kiln.reshape %365 [%280, 8, %361] : tensor<?x8x?x4xf32> -> tensor<?x8x?xf32>
    cf.assert %291, "expects a size >= 0 along axis 0" {kiln.shows_operands}
    %372 = arith.cmpi sge, %353, %c0 : index
    cf.assert %372, "expects a size >= 0 along axis 2" {kiln.shows_operands}
    %373 = arith.addi %353, %c2 : index
    %374 = arith.cmpi sle, %373, %361 : index
    cf.assert %374, "expects a slice that ends inside of 'x' along axis 2" {kiln.shows_operands}
    %375 = kiln.launch @slice_Dx8xDxf32(%371, %280, %353) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)")], label = "model.onnx: node '/m/decoder/upsampler.1/ConvTranspose' (ConvTranspose)"} : (tensor<?x8x?xf32>, index, index) -> tensor<?x8x?xf32>
    %376 = kiln.launch @leaky_relu_Dx8xDxf32(%375) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.1/LeakyRelu' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.1/LeakyRelu' (LeakyRelu)"} : (tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
    %377 = kiln.weight "95176bc3c4c6378e6bb79ca227abeaf3218ed7183e6f534c0a66ea17aa760601" {label = "m.decoder.resblocks.1.convs1.0.weight"} : tensor<8x8x3xf32>
    %378 = arith.cmpi sge, %373, %c3 : index
    cf.assert %378, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %379 = kiln.launch @conv_leaky_relu_Dx8xDxf32(%376, %377, %6) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.1/convs1.0/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.1/LeakyRelu_1' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.1/LeakyRelu_1' (LeakyRelu)"} : (tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32>) -> tensor<?x8x?xf32>
    %380 = kiln.weight "5c2b70d12463df1eb0e700b6a4fe72b6f93b818b958019ca58d2e054edc2945b" {label = "m.decoder.resblocks.1.convs2.0.weight"} : tensor<8x8x3xf32>
    cf.assert %378, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %381 = kiln.launch @conv_add_Dx8xDxf32(%379, %380, %5, %375) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.1/convs2.0/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.1/Add' (Add)")], label = "model.onnx: node '/m/decoder/resblocks.1/Add' (Add)"} : (tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32>, tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
    %382 = kiln.launch @leaky_relu_Dx8xDxf32(%381) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.1/LeakyRelu_2' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.1/LeakyRelu_2' (LeakyRelu)"} : (tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
    %383 = kiln.weight "8a2186a897f098a606b28a458d8235ed693f369a82f1adec052dc6af6e8dd82b" {label = "m.decoder.resblocks.1.convs1.1.weight"} : tensor<8x8x3xf32>
    %384 = arith.addi %353, %c6 : index
    %385 = arith.cmpi sge, %384, %c7 : index
    cf.assert %385, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %386 = kiln.launch @conv_leaky_relu_Dx8xDxf32_10(%382, %383, %4) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.1/convs1.1/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.1/LeakyRelu_3' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/resblocks.1/LeakyRelu_3' (LeakyRelu)"} : (tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32>) -> tensor<?x8x?xf32>
    %387 = kiln.weight "29bc2250c0d45ae15f8e888aeb856239c93b07ccae6da74c2cc3ffee7b8c0a78" {label = "m.decoder.resblocks.1.convs2.1.weight"} : tensor<8x8x3xf32>
    cf.assert %378, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %388 = kiln.launch @conv_add_leaky_relu_Dx8xDxf32(%386, %387, %3, %381) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/resblocks.1/convs2.1/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/resblocks.1/Add_1' (Add)"), loc("model.onnx: node '/m/decoder/LeakyRelu_2' (LeakyRelu)")], label = "model.onnx: node '/m/decoder/LeakyRelu_2' (LeakyRelu)"} : (tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32>, tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
    cf.assert %385, "expects a window that spans at most the padded input along spatial axis 0" {kiln.shows_operands}
    %389 = kiln.launch @conv_tanh_Dx1xDxf32(%388, %2) extents(%280, %353) {kiln.op_locations = [loc("model.onnx: node '/m/decoder/conv_post/Conv' (Conv)"), loc("model.onnx: node '/m/decoder/Tanh' (Tanh)")], label = "model.onnx: node '/m/decoder/Tanh' (Tanh)"} : (tensor<?x8x?xf32>, tensor<1x8x7xf32>) -> tensor<?x1x?xf32>
    %390 = arith.muli %280, %353 : index
    %391 = arith.cmpi eq, %390, %390 : index
    cf.assert %391, "expects a shape with as many elements as 'x'" {kiln.shows_operands}
    %392 = kiln.reshape %389 [%280, %353] : tensor<?x1x?xf32> -> tensor<?x?xf32>
    return %392 : tensor<?x?xf32>
  }
  kiln.kernel @convert_DxDx1xf32(%arg0: tensor<?x?x1xi64>) -> tensor<?x?x1xf32> {
    %0 = kiln.convert %arg0 : tensor<?x?x1xi64> to tensor<?x?x1xf32>
    kiln.yield %0 : tensor<?x?x1xf32>
  }
  kiln.kernel @convert_DxDxi1(%arg0: tensor<?x?xi64>) -> tensor<?x?xi1> {
    %0 = kiln.convert %arg0 : tensor<?x?xi64> to tensor<?x?xi1>
    kiln.yield %0 : tensor<?x?xi1>
  }
  kiln.kernel @iota_Dxi64(%arg0: index) -> tensor<?xi64> {
    %0 = kiln.iota axis 0 [%arg0] : tensor<?xi64>
    kiln.yield %0 : tensor<?xi64>
  }
  kiln.kernel @from_elements_1xi64(%arg0: index) -> tensor<1xi64> {
    %0 = kiln.from_elements [%arg0] : tensor<1xi64>
    kiln.yield %0 : tensor<1xi64>
  }
  kiln.kernel @mul_add_gather_Dx1x1xDx1xi1(%arg0: tensor<?x1x1x1xi64>, %arg1: tensor<1xi64>, %arg2: tensor<1x1x1x?xi64>, %arg3: tensor<?x1xi1>) -> tensor<?x1x1x?x1xi1> {
    %0 = kiln.mul %arg0, %arg1 : tensor<?x1x1x1xi64>, tensor<1xi64> -> tensor<?x1x1x1xi64>
    %1 = kiln.add %arg2, %0 : tensor<1x1x1x?xi64>, tensor<?x1x1x1xi64> -> tensor<?x1x1x?xi64>
    %2 = kiln.gather %arg3, %1 axis 0 : tensor<?x1xi1>, tensor<?x1x1x?xi64> -> tensor<?x1x1x?x1xi1>
    kiln.yield %2 : tensor<?x1x1x?x1xi1>
  }
  kiln.kernel @compare_and_Dx1xDxDxi1(%arg0: tensor<1x1x?x1xi64>, %arg1: tensor<?x1x1x?xi1>) -> tensor<?x1x?x?xi1> {
    %0 = kiln.constant dense<0> : tensor<i64>
    %1 = kiln.compare ge %arg0, %0 : tensor<1x1x?x1xi64>, tensor<i64> -> tensor<1x1x?x1xi1>
    %2 = kiln.and %1, %arg1 : tensor<1x1x?x1xi1>, tensor<?x1x1x?xi1> -> tensor<?x1x?x?xi1>
    kiln.yield %2 : tensor<?x1x?x?xi1>
  }
  kiln.kernel @gather_mul_mul_DxDx32xf32(%arg0: tensor<40x32xf32>, %arg1: tensor<?x?xi64>, %arg2: tensor<?x?x1xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.constant dense<5.65685415> : tensor<f32>
    %1 = kiln.gather %arg0, %arg1 axis 0 : tensor<40x32xf32>, tensor<?x?xi64> -> tensor<?x?x32xf32>
    %2 = kiln.mul %1, %0 : tensor<?x?x32xf32>, tensor<f32> -> tensor<?x?x32xf32>
    %3 = kiln.mul %2, %arg2 : tensor<?x?x32xf32>, tensor<?x?x1xf32> -> tensor<?x?x32xf32>
    kiln.yield %3 : tensor<?x?x32xf32>
  }
  kiln.kernel @matmul_add_mul_DxDx32xf32(%arg0: tensor<?x?x32xf32>, %arg1: tensor<32x32xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.constant dense<2.500000e-01> : tensor<f32>
    %2 = kiln.matmul %arg0, %arg1 : tensor<?x?x32xf32>, tensor<32x32xf32> -> tensor<?x?x32xf32>
    %3 = kiln.add %2, %0 : tensor<?x?x32xf32>, tensor<f32> -> tensor<?x?x32xf32>
    %4 = kiln.mul %3, %1 : tensor<?x?x32xf32>, tensor<f32> -> tensor<?x?x32xf32>
    kiln.yield %4 : tensor<?x?x32xf32>
  }
  kiln.kernel @matmul_add_DxDx32xf32(%arg0: tensor<?x?x32xf32>, %arg1: tensor<32x32xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.matmul %arg0, %arg1 : tensor<?x?x32xf32>, tensor<32x32xf32> -> tensor<?x?x32xf32>
    %2 = kiln.add %1, %0 : tensor<?x?x32xf32>, tensor<f32> -> tensor<?x?x32xf32>
    kiln.yield %2 : tensor<?x?x32xf32>
  }
  kiln.kernel @transpose_Dx2xDx16xf32(%arg0: tensor<?x?x2x16xf32>) -> tensor<?x2x?x16xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1, 3] : tensor<?x?x2x16xf32> -> tensor<?x2x?x16xf32>
    kiln.yield %0 : tensor<?x2x?x16xf32>
  }
  kiln.kernel @pad_1xDx16xf32(%arg0: tensor<1x9x16xf32>, %arg1: index) -> tensor<1x?x16xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, %arg1, 0] high [0, %arg1, 0] mode constant value %0 : tensor<1x9x16xf32>, tensor<f32> -> tensor<1x?x16xf32>
    kiln.yield %1 : tensor<1x?x16xf32>
  }
  kiln.kernel @slice_1xDx16xf32(%arg0: tensor<1x?x16xf32>, %arg1: index) -> tensor<1x?x16xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 0] sizes [1, %arg1, 16] strides [1, 1, 1] : tensor<1x?x16xf32> -> tensor<1x?x16xf32>
    kiln.yield %0 : tensor<1x?x16xf32>
  }
  kiln.kernel @matmul_DxDxDxf32(%arg0: tensor<?x?x16xf32>, %arg1: tensor<1x?x16xf32>) -> tensor<?x?x?xf32> {
    %0 = kiln.matmul %arg0, %arg1 transB : tensor<?x?x16xf32>, tensor<1x?x16xf32> -> tensor<?x?x?xf32>
    kiln.yield %0 : tensor<?x?x?xf32>
  }
  kiln.kernel @pad_DxDxDxf32(%arg0: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, 0, 0] high [0, 0, 1] mode constant value %0 : tensor<?x?x?xf32>, tensor<f32> -> tensor<?x?x?xf32>
    kiln.yield %1 : tensor<?x?x?xf32>
  }
  kiln.kernel @pad_DxDxf32(%arg0: tensor<?x?xf32>, %arg1: index) -> tensor<?x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, 0] high [0, %arg1] mode constant value %0 : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    kiln.yield %1 : tensor<?x?xf32>
  }
  kiln.kernel @slice_DxDxDxf32(%arg0: tensor<?x?x?xf32>, %arg1: index, %arg2: index, %arg3: index) -> tensor<?x?x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 0] sizes [%arg1, %arg2, %arg3] strides [1, 1, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    kiln.yield %0 : tensor<?x?x?xf32>
  }
  kiln.kernel @matmul_slice_add_DxDxDxf32(%arg0: tensor<?x?x16xf32>, %arg1: tensor<?x?x16xf32>, %arg2: tensor<?x?x?xf32>, %arg3: index, %arg4: index, %arg5: index, %arg6: index) -> tensor<?x?x?xf32> {
    %0 = kiln.matmul %arg0, %arg1 transB : tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x?xf32>
    %1 = kiln.slice %arg2 offsets [0, 0, %arg3] sizes [%arg4, %arg5, %arg6] strides [1, 1, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    %2 = kiln.add %0, %1 : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    kiln.yield %2 : tensor<?x?x?xf32>
  }
  kiln.kernel @broadcast_select_add_Dx2xDxDxf32(%arg0: tensor<?x1x?x?xi1>, %arg1: index, %arg2: index, %arg3: index, %arg4: tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.constant dense<-3.40282347E+38> : tensor<f32>
    %2 = kiln.broadcast %arg0 [%arg1, 1, %arg2, %arg3] : tensor<?x1x?x?xi1> -> tensor<?x1x?x?xi1>
    %3 = kiln.select %2, %0, %1 : tensor<?x1x?x?xi1>, tensor<f32>, tensor<f32> -> tensor<?x1x?x?xf32>
    %4 = kiln.add %arg4, %3 : tensor<?x2x?x?xf32>, tensor<?x1x?x?xf32> -> tensor<?x2x?x?xf32>
    kiln.yield %4 : tensor<?x2x?x?xf32>
  }
  kiln.kernel @softmax_DxDxDxf32(%arg0: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
    %0 = kiln.softmax %arg0 axis 2 : tensor<?x?x?xf32>
    kiln.yield %0 : tensor<?x?x?xf32>
  }
  kiln.kernel @pad_DxDxDxf32_0(%arg0: tensor<?x?x?xf32>, %arg1: index) -> tensor<?x?x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, 0, 0] high [0, 0, %arg1] mode constant value %0 : tensor<?x?x?xf32>, tensor<f32> -> tensor<?x?x?xf32>
    kiln.yield %1 : tensor<?x?x?xf32>
  }
  kiln.kernel @pad_DxDxf32_1(%arg0: tensor<?x?xf32>, %arg1: index) -> tensor<?x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, %arg1] high [0, 0] mode constant value %0 : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    kiln.yield %1 : tensor<?x?xf32>
  }
  kiln.kernel @slice_DxDxDxf32_2(%arg0: tensor<?x?x?xf32>, %arg1: index, %arg2: index, %arg3: index, %arg4: index) -> tensor<?x?x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, %arg1] sizes [%arg2, %arg3, %arg4] strides [1, 1, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    kiln.yield %0 : tensor<?x?x?xf32>
  }
  kiln.kernel @matmul_DxDx16xf32(%arg0: tensor<?x?x?xf32>, %arg1: tensor<1x?x16xf32>) -> tensor<?x?x16xf32> {
    %0 = kiln.matmul %arg0, %arg1 : tensor<?x?x?xf32>, tensor<1x?x16xf32> -> tensor<?x?x16xf32>
    kiln.yield %0 : tensor<?x?x16xf32>
  }
  kiln.kernel @matmul_add_DxDx16xf32(%arg0: tensor<?x?x?xf32>, %arg1: tensor<?x?x16xf32>, %arg2: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
    %0 = kiln.matmul %arg0, %arg1 : tensor<?x?x?xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
    %1 = kiln.add %0, %arg2 : tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
    kiln.yield %1 : tensor<?x?x16xf32>
  }
  kiln.kernel @transpose_DxDx2x16xf32(%arg0: tensor<?x2x?x16xf32>) -> tensor<?x?x2x16xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1, 3] : tensor<?x2x?x16xf32> -> tensor<?x?x2x16xf32>
    kiln.yield %0 : tensor<?x?x2x16xf32>
  }
  kiln.kernel @matmul_add_add_DxDx32xf32(%arg0: tensor<?x?x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.matmul %arg0, %arg1 : tensor<?x?x32xf32>, tensor<32x32xf32> -> tensor<?x?x32xf32>
    %2 = kiln.add %1, %0 : tensor<?x?x32xf32>, tensor<f32> -> tensor<?x?x32xf32>
    %3 = kiln.add %arg2, %2 : tensor<?x?x32xf32>, tensor<?x?x32xf32> -> tensor<?x?x32xf32>
    kiln.yield %3 : tensor<?x?x32xf32>
  }
  kiln.kernel @layer_norm_DxDx32xf32(%arg0: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.constant dense<1.000000e+00> : tensor<32xf32>
    %1 = kiln.constant dense<0.000000e+00> : tensor<32xf32>
    %2 = kiln.layer_norm %arg0 scale(%0 : tensor<32xf32>) bias(%1 : tensor<32xf32>) axis 2 epsilon 9.9999997473787516E-6 : tensor<?x?x32xf32>
    kiln.yield %2 : tensor<?x?x32xf32>
  }
  kiln.kernel @transpose_mul_Dx32xDxf32(%arg0: tensor<?x?x32xf32>, %arg1: tensor<?x1x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x?x32xf32> -> tensor<?x32x?xf32>
    %1 = kiln.mul %0, %arg1 : tensor<?x32x?xf32>, tensor<?x1x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %1 : tensor<?x32x?xf32>
  }
  kiln.kernel @pad_Dx32xDxf32(%arg0: tensor<?x32x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, 0, 1] high [0, 0, 1] mode constant value %0 : tensor<?x32x?xf32>, tensor<f32> -> tensor<?x32x?xf32>
    kiln.yield %1 : tensor<?x32x?xf32>
  }
  kiln.kernel @conv_relu_mul_Dx32xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<32x32x3xf32>, %arg2: tensor<32xf32>, %arg3: tensor<?x1x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [0, 0] dilations [1] : tensor<?x32x?xf32>, tensor<32x32x3xf32>, tensor<32xf32> -> tensor<?x32x?xf32>
    %1 = kiln.relu %0 : tensor<?x32x?xf32>
    %2 = kiln.mul %1, %arg3 : tensor<?x32x?xf32>, tensor<?x1x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %2 : tensor<?x32x?xf32>
  }
  kiln.kernel @conv_mul_Dx32xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<32x32x3xf32>, %arg2: tensor<32xf32>, %arg3: tensor<?x1x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [0, 0] dilations [1] : tensor<?x32x?xf32>, tensor<32x32x3xf32>, tensor<32xf32> -> tensor<?x32x?xf32>
    %1 = kiln.mul %0, %arg3 : tensor<?x32x?xf32>, tensor<?x1x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %1 : tensor<?x32x?xf32>
  }
  kiln.kernel @transpose_add_DxDx32xf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x32x?xf32> -> tensor<?x?x32xf32>
    %1 = kiln.add %arg1, %0 : tensor<?x?x32xf32>, tensor<?x?x32xf32> -> tensor<?x?x32xf32>
    kiln.yield %1 : tensor<?x?x32xf32>
  }
  kiln.kernel @layer_norm_mul_DxDx32xf32(%arg0: tensor<?x?x32xf32>, %arg1: tensor<?x?x1xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.constant dense<1.000000e+00> : tensor<32xf32>
    %1 = kiln.constant dense<0.000000e+00> : tensor<32xf32>
    %2 = kiln.layer_norm %arg0 scale(%0 : tensor<32xf32>) bias(%1 : tensor<32xf32>) axis 2 epsilon 9.9999997473787516E-6 : tensor<?x?x32xf32>
    %3 = kiln.mul %2, %arg1 : tensor<?x?x32xf32>, tensor<?x?x1xf32> -> tensor<?x?x32xf32>
    kiln.yield %3 : tensor<?x?x32xf32>
  }
  kiln.kernel @transpose_Dx32xDxf32(%arg0: tensor<?x?x32xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x?x32xf32> -> tensor<?x32x?xf32>
    kiln.yield %0 : tensor<?x32x?xf32>
  }
  kiln.kernel @conv_Dx64xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<64x32x1xf32>, %arg2: tensor<64xf32>) -> tensor<?x64x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [0, 0] dilations [1] : tensor<?x32x?xf32>, tensor<64x32x1xf32>, tensor<64xf32> -> tensor<?x64x?xf32>
    kiln.yield %0 : tensor<?x64x?xf32>
  }
  kiln.kernel @transpose_mul_DxDx64xf32(%arg0: tensor<?x64x?xf32>, %arg1: tensor<?x?x1xf32>) -> tensor<?x?x64xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x64x?xf32> -> tensor<?x?x64xf32>
    %1 = kiln.mul %0, %arg1 : tensor<?x?x64xf32>, tensor<?x?x1xf32> -> tensor<?x?x64xf32>
    kiln.yield %1 : tensor<?x?x64xf32>
  }
  kiln.kernel @slice_DxDx32xf32(%arg0: tensor<?x?x64xf32>, %arg1: index, %arg2: index) -> tensor<?x?x32xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 0] sizes [%arg1, %arg2, 32] strides [1, 1, 1] : tensor<?x?x64xf32> -> tensor<?x?x32xf32>
    kiln.yield %0 : tensor<?x?x32xf32>
  }
  kiln.kernel @slice_DxDx32xf32_3(%arg0: tensor<?x?x64xf32>, %arg1: index, %arg2: index) -> tensor<?x?x32xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 32] sizes [%arg1, %arg2, 32] strides [1, 1, 1] : tensor<?x?x64xf32> -> tensor<?x?x32xf32>
    kiln.yield %0 : tensor<?x?x32xf32>
  }
  kiln.kernel @mul_Dx32xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<?x1x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.mul %arg0, %arg1 : tensor<?x32x?xf32>, tensor<?x1x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %0 : tensor<?x32x?xf32>
  }
  kiln.kernel @conv_relu_Dx256xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<256x32x3xf32>, %arg2: tensor<256xf32>) -> tensor<?x256x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x32x?xf32>, tensor<256x32x3xf32>, tensor<256xf32> -> tensor<?x256x?xf32>
    %1 = kiln.relu %0 : tensor<?x256x?xf32>
    kiln.yield %1 : tensor<?x256x?xf32>
  }
  kiln.kernel @transpose_DxDx256xf32(%arg0: tensor<?x256x?xf32>) -> tensor<?x?x256xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x256x?xf32> -> tensor<?x?x256xf32>
    kiln.yield %0 : tensor<?x?x256xf32>
  }
  kiln.kernel @layer_norm_DxDx256xf32(%arg0: tensor<?x?x256xf32>) -> tensor<?x?x256xf32> {
    %0 = kiln.constant dense<1.000000e+00> : tensor<256xf32>
    %1 = kiln.constant dense<0.000000e+00> : tensor<256xf32>
    %2 = kiln.layer_norm %arg0 scale(%0 : tensor<256xf32>) bias(%1 : tensor<256xf32>) axis 2 epsilon 9.9999997473787516E-6 : tensor<?x?x256xf32>
    kiln.yield %2 : tensor<?x?x256xf32>
  }
  kiln.kernel @transpose_mul_Dx256xDxf32(%arg0: tensor<?x?x256xf32>, %arg1: tensor<?x1x?xf32>) -> tensor<?x256x?xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x?x256xf32> -> tensor<?x256x?xf32>
    %1 = kiln.mul %0, %arg1 : tensor<?x256x?xf32>, tensor<?x1x?xf32> -> tensor<?x256x?xf32>
    kiln.yield %1 : tensor<?x256x?xf32>
  }
  kiln.kernel @conv_relu_Dx256xDxf32_4(%arg0: tensor<?x256x?xf32>, %arg1: tensor<256x256x3xf32>, %arg2: tensor<256xf32>) -> tensor<?x256x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x256x?xf32>, tensor<256x256x3xf32>, tensor<256xf32> -> tensor<?x256x?xf32>
    %1 = kiln.relu %0 : tensor<?x256x?xf32>
    kiln.yield %1 : tensor<?x256x?xf32>
  }
  kiln.kernel @conv_mul_exp_mul_ceil_Dx1xDxf32(%arg0: tensor<?x256x?xf32>, %arg1: tensor<1x256x1xf32>, %arg2: tensor<?x1x?xf32>) -> tensor<?x1x?xf32> {
    %0 = kiln.constant dense<0.0211220086> : tensor<1xf32>
    %1 = kiln.conv %arg0, %arg1 bias %0 strides [1] pads [0, 0] dilations [1] : tensor<?x256x?xf32>, tensor<1x256x1xf32>, tensor<1xf32> -> tensor<?x1x?xf32>
    %2 = kiln.mul %1, %arg2 : tensor<?x1x?xf32>, tensor<?x1x?xf32> -> tensor<?x1x?xf32>
    %3 = kiln.exp %2 : tensor<?x1x?xf32>
    %4 = kiln.mul %3, %arg2 : tensor<?x1x?xf32>, tensor<?x1x?xf32> -> tensor<?x1x?xf32>
    %5 = kiln.ceil %4 : tensor<?x1x?xf32>
    kiln.yield %5 : tensor<?x1x?xf32>
  }
  kiln.kernel @reduce_clamp_convert_Dxi64(%arg0: tensor<?x1x?xf32>) -> tensor<?xi64> {
    %0 = kiln.reduce  sum %arg0 axes [1, 2] : tensor<?x1x?xf32> -> tensor<?xf32>
    %1 = kiln.clamp %0 min 1.000000e+00 : tensor<?xf32>
    %2 = kiln.convert %1 : tensor<?xf32> to tensor<?xi64>
    kiln.yield %2 : tensor<?xi64>
  }
  kiln.kernel @reduce_i64(%arg0: tensor<?xi64>) -> tensor<i64> {
    %0 = kiln.reduce  max %arg0 axes [0] : tensor<?xi64> -> tensor<i64>
    kiln.yield %0 : tensor<i64>
  }
  kiln.kernel @compare_DxDxi1(%arg0: tensor<1x?xi64>, %arg1: tensor<?x1xi64>) -> tensor<?x?xi1> {
    %0 = kiln.compare lt %arg0, %arg1 : tensor<1x?xi64>, tensor<?x1xi64> -> tensor<?x?xi1>
    kiln.yield %0 : tensor<?x?xi1>
  }
  kiln.kernel @convert_Dx1xDxf32(%arg0: tensor<?x1x?xi1>) -> tensor<?x1x?xf32> {
    %0 = kiln.convert %arg0 : tensor<?x1x?xi1> to tensor<?x1x?xf32>
    kiln.yield %0 : tensor<?x1x?xf32>
  }
  kiln.kernel @cumulative_Dx1xDxf32(%arg0: tensor<?x1x?xf32>) -> tensor<?x1x?xf32> {
    %0 = kiln.cumulative  sum %arg0 axis 2 : tensor<?x1x?xf32>
    kiln.yield %0 : tensor<?x1x?xf32>
  }
  kiln.kernel @from_elements_i64(%arg0: index) -> tensor<i64> {
    %0 = kiln.from_elements [%arg0] scalar : tensor<i64>
    kiln.yield %0 : tensor<i64>
  }
  kiln.kernel @convert_ceil_convert_i64(%arg0: tensor<i64>) -> tensor<i64> {
    %0 = kiln.convert %arg0 : tensor<i64> to tensor<f32>
    %1 = kiln.ceil %0 : tensor<f32>
    %2 = kiln.convert %1 : tensor<f32> to tensor<i64>
    kiln.yield %2 : tensor<i64>
  }
  kiln.kernel @iota_add_Dxf32(%arg0: index) -> tensor<?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.iota axis 0 [%arg0] : tensor<?xf32>
    %2 = kiln.add %1, %0 : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    kiln.yield %2 : tensor<?xf32>
  }
  kiln.kernel @compare_convert_DxDxf32(%arg0: tensor<1x?xf32>, %arg1: tensor<?x1xf32>) -> tensor<?x?xf32> {
    %0 = kiln.compare lt %arg0, %arg1 : tensor<1x?xf32>, tensor<?x1xf32> -> tensor<?x?xi1>
    %1 = kiln.convert %0 : tensor<?x?xi1> to tensor<?x?xf32>
    kiln.yield %1 : tensor<?x?xf32>
  }
  kiln.kernel @pad_DxDxDxf32_5(%arg0: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.pad %arg0 low [0, 1, 0] high [0, 0, 0] mode constant value %0 : tensor<?x?x?xf32>, tensor<f32> -> tensor<?x?x?xf32>
    kiln.yield %1 : tensor<?x?x?xf32>
  }
  kiln.kernel @slice_sub_DxDxDxf32(%arg0: tensor<?x?x?xf32>, %arg1: index, %arg2: index, %arg3: index, %arg4: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 0] sizes [%arg1, %arg2, %arg3] strides [1, 1, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    %1 = kiln.sub %arg4, %0 : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    kiln.yield %1 : tensor<?x?x?xf32>
  }
  kiln.kernel @mul_transpose_mul_Dx1xDxDxf32(%arg0: tensor<?x1x1x?xf32>, %arg1: tensor<?x1x?x1xf32>, %arg2: tensor<?x1x?x?xf32>) -> tensor<?x1x?x?xf32> {
    %0 = kiln.mul %arg0, %arg1 : tensor<?x1x1x?xf32>, tensor<?x1x?x1xf32> -> tensor<?x1x?x?xf32>
    %1 = kiln.transpose %arg2 perm [0, 1, 3, 2] : tensor<?x1x?x?xf32> -> tensor<?x1x?x?xf32>
    %2 = kiln.mul %1, %0 : tensor<?x1x?x?xf32>, tensor<?x1x?x?xf32> -> tensor<?x1x?x?xf32>
    kiln.yield %2 : tensor<?x1x?x?xf32>
  }
  kiln.kernel @matmul_DxDx32xf32(%arg0: tensor<?x?x?xf32>, %arg1: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
    %0 = kiln.matmul %arg0, %arg1 : tensor<?x?x?xf32>, tensor<?x?x32xf32> -> tensor<?x?x32xf32>
    kiln.yield %0 : tensor<?x?x32xf32>
  }
  kiln.kernel @iota_random_normal_Dxf32(%arg0: index) -> tensor<?xf32> {
    %0 = kiln.constant dense<7724319095836978615> : tensor<i64>
    %1 = kiln.iota axis 0 [%arg0] : tensor<?xi64>
    %2 = kiln.random_normal %1, %0 : tensor<?xi64>, tensor<i64> -> tensor<?xf32>
    kiln.yield %2 : tensor<?xf32>
  }
  kiln.kernel @transpose_transpose_exp_mul_mul_and_1_Dx32xDxf32(%arg0: tensor<?x?x32xf32>, %arg1: tensor<?x?x32xf32>, %arg2: tensor<?x32x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.transpose %arg0 perm [0, 2, 1] : tensor<?x?x32xf32> -> tensor<?x32x?xf32>
    %2 = kiln.transpose %arg1 perm [0, 2, 1] : tensor<?x?x32xf32> -> tensor<?x32x?xf32>
    %3 = kiln.exp %2 : tensor<?x32x?xf32>
    %4 = kiln.mul %arg2, %3 : tensor<?x32x?xf32>, tensor<?x32x?xf32> -> tensor<?x32x?xf32>
    %5 = kiln.mul %4, %0 : tensor<?x32x?xf32>, tensor<f32> -> tensor<?x32x?xf32>
    %6 = kiln.add %1, %5 : tensor<?x32x?xf32>, tensor<?x32x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %6 : tensor<?x32x?xf32>
  }
  kiln.kernel @reverse_Dx32xDxf32(%arg0: tensor<?x32x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.reverse %arg0 axes [1] : tensor<?x32x?xf32>
    kiln.yield %0 : tensor<?x32x?xf32>
  }
  kiln.kernel @slice_Dx16xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: index, %arg2: index) -> tensor<?x16x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 0] sizes [%arg1, 16, %arg2] strides [1, 1, 1] : tensor<?x32x?xf32> -> tensor<?x16x?xf32>
    kiln.yield %0 : tensor<?x16x?xf32>
  }
  kiln.kernel @conv_mul_Dx32xDxf32_6(%arg0: tensor<?x16x?xf32>, %arg1: tensor<32x16x1xf32>, %arg2: tensor<32xf32>, %arg3: tensor<?x1x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [0, 0] dilations [1] : tensor<?x16x?xf32>, tensor<32x16x1xf32>, tensor<32xf32> -> tensor<?x32x?xf32>
    %1 = kiln.mul %0, %arg3 : tensor<?x32x?xf32>, tensor<?x1x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %1 : tensor<?x32x?xf32>
  }
  kiln.kernel @conv_broadcast_add_Dx64xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<64x32x5xf32>, %arg2: tensor<64xf32>, %arg3: index, %arg4: index) -> tensor<?x64x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [2, 2] dilations [1] : tensor<?x32x?xf32>, tensor<64x32x5xf32>, tensor<64xf32> -> tensor<?x64x?xf32>
    %2 = kiln.broadcast %0 [%arg3, 64, %arg4] : tensor<f32> -> tensor<?x64x?xf32>
    %3 = kiln.add %1, %2 : tensor<?x64x?xf32>, tensor<?x64x?xf32> -> tensor<?x64x?xf32>
    kiln.yield %3 : tensor<?x64x?xf32>
  }
  kiln.kernel @slice_tanh_slice_sigmoid_mul_Dx32xDxf32(%arg0: tensor<?x64x?xf32>, %arg1: index, %arg2: index) -> tensor<?x32x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 0] sizes [%arg1, 32, %arg2] strides [1, 1, 1] : tensor<?x64x?xf32> -> tensor<?x32x?xf32>
    %1 = kiln.tanh %0 : tensor<?x32x?xf32>
    %2 = kiln.slice %arg0 offsets [0, 32, 0] sizes [%arg1, 32, %arg2] strides [1, 1, 1] : tensor<?x64x?xf32> -> tensor<?x32x?xf32>
    %3 = kiln.sigmoid %2 : tensor<?x32x?xf32>
    %4 = kiln.mul %1, %3 : tensor<?x32x?xf32>, tensor<?x32x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %4 : tensor<?x32x?xf32>
  }
  kiln.kernel @broadcast_conv_add_mul_Dx32xDxf32(%arg0: index, %arg1: index, %arg2: tensor<?x32x?xf32>, %arg3: tensor<32x32x1xf32>, %arg4: tensor<32xf32>, %arg5: tensor<?x1x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.broadcast %0 [%arg0, 32, %arg1] : tensor<f32> -> tensor<?x32x?xf32>
    %2 = kiln.conv %arg2, %arg3 bias %arg4 strides [1] pads [0, 0] dilations [1] : tensor<?x32x?xf32>, tensor<32x32x1xf32>, tensor<32xf32> -> tensor<?x32x?xf32>
    %3 = kiln.add %1, %2 : tensor<?x32x?xf32>, tensor<?x32x?xf32> -> tensor<?x32x?xf32>
    %4 = kiln.mul %3, %arg5 : tensor<?x32x?xf32>, tensor<?x1x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %4 : tensor<?x32x?xf32>
  }
  kiln.kernel @slice_conv_mul_broadcast_sub_and_4_Dx16xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: index, %arg2: index, %arg3: tensor<?x32x?xf32>, %arg4: tensor<16x32x1xf32>, %arg5: tensor<16xf32>, %arg6: tensor<?x1x?xf32>) -> tensor<?x16x?xf32> {
    %0 = kiln.constant dense<0.000000e+00> : tensor<f32>
    %1 = kiln.slice %arg0 offsets [0, 16, 0] sizes [%arg1, 16, %arg2] strides [1, 1, 1] : tensor<?x32x?xf32> -> tensor<?x16x?xf32>
    %2 = kiln.conv %arg3, %arg4 bias %arg5 strides [1] pads [0, 0] dilations [1] : tensor<?x32x?xf32>, tensor<16x32x1xf32>, tensor<16xf32> -> tensor<?x16x?xf32>
    %3 = kiln.mul %2, %arg6 : tensor<?x16x?xf32>, tensor<?x1x?xf32> -> tensor<?x16x?xf32>
    %4 = kiln.broadcast %0 [%arg1, 16, %arg2] : tensor<f32> -> tensor<?x16x?xf32>
    %5 = kiln.sub %1, %3 : tensor<?x16x?xf32>, tensor<?x16x?xf32> -> tensor<?x16x?xf32>
    %6 = kiln.neg %4 : tensor<?x16x?xf32>
    %7 = kiln.exp %6 : tensor<?x16x?xf32>
    %8 = kiln.mul %5, %7 : tensor<?x16x?xf32>, tensor<?x16x?xf32> -> tensor<?x16x?xf32>
    %9 = kiln.mul %8, %arg6 : tensor<?x16x?xf32>, tensor<?x1x?xf32> -> tensor<?x16x?xf32>
    kiln.yield %9 : tensor<?x16x?xf32>
  }
  kiln.kernel @concat_Dx32xDxf32(%arg0: tensor<?x16x?xf32>, %arg1: tensor<?x16x?xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.concat %arg0, %arg1 axis 1 : tensor<?x16x?xf32>, tensor<?x16x?xf32> -> tensor<?x32x?xf32>
    kiln.yield %0 : tensor<?x32x?xf32>
  }
  kiln.kernel @conv_leaky_relu_Dx32xDxf32(%arg0: tensor<?x32x?xf32>, %arg1: tensor<32x32x7xf32>, %arg2: tensor<32xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [3, 3] dilations [1] : tensor<?x32x?xf32>, tensor<32x32x7xf32>, tensor<32xf32> -> tensor<?x32x?xf32>
    %1 = kiln.leaky_relu %0 alpha 0.10000000149011612 : tensor<?x32x?xf32>
    kiln.yield %1 : tensor<?x32x?xf32>
  }
  kiln.kernel @reverse_1x32x16x2x4xf32(%arg0: tensor<1x32x16x2x4xf32>) -> tensor<1x32x16x2x4xf32> {
    %0 = kiln.reverse %arg0 axes [3] : tensor<1x32x16x2x4xf32>
    kiln.yield %0 : tensor<1x32x16x2x4xf32>
  }
  kiln.kernel @transpose_1x16x4x32x2xf32(%arg0: tensor<1x32x16x2x4xf32>) -> tensor<1x16x4x32x2xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 4, 1, 3] : tensor<1x32x16x2x4xf32> -> tensor<1x16x4x32x2xf32>
    kiln.yield %0 : tensor<1x16x4x32x2xf32>
  }
  kiln.kernel @conv_Dx64xDxf32_7(%arg0: tensor<?x32x?xf32>, %arg1: tensor<64x32x2xf32>, %arg2: tensor<64xf32>) -> tensor<?x64x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x32x?xf32>, tensor<64x32x2xf32>, tensor<64xf32> -> tensor<?x64x?xf32>
    kiln.yield %0 : tensor<?x64x?xf32>
  }
  kiln.kernel @transpose_Dx16xDx4xf32(%arg0: tensor<?x16x4x?xf32>) -> tensor<?x16x?x4xf32> {
    %0 = kiln.transpose %arg0 perm [0, 1, 3, 2] : tensor<?x16x4x?xf32> -> tensor<?x16x?x4xf32>
    kiln.yield %0 : tensor<?x16x?x4xf32>
  }
  kiln.kernel @slice_Dx16xDxf32_8(%arg0: tensor<?x16x?xf32>, %arg1: index, %arg2: index) -> tensor<?x16x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 2] sizes [%arg1, 16, %arg2] strides [1, 1, 1] : tensor<?x16x?xf32> -> tensor<?x16x?xf32>
    kiln.yield %0 : tensor<?x16x?xf32>
  }
  kiln.kernel @leaky_relu_Dx16xDxf32(%arg0: tensor<?x16x?xf32>) -> tensor<?x16x?xf32> {
    %0 = kiln.leaky_relu %arg0 alpha 0.10000000149011612 : tensor<?x16x?xf32>
    kiln.yield %0 : tensor<?x16x?xf32>
  }
  kiln.kernel @conv_leaky_relu_Dx16xDxf32(%arg0: tensor<?x16x?xf32>, %arg1: tensor<16x16x3xf32>, %arg2: tensor<16xf32>) -> tensor<?x16x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32> -> tensor<?x16x?xf32>
    %1 = kiln.leaky_relu %0 alpha 0.10000000149011612 : tensor<?x16x?xf32>
    kiln.yield %1 : tensor<?x16x?xf32>
  }
  kiln.kernel @conv_add_Dx16xDxf32(%arg0: tensor<?x16x?xf32>, %arg1: tensor<16x16x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<?x16x?xf32>) -> tensor<?x16x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32> -> tensor<?x16x?xf32>
    %1 = kiln.add %0, %arg3 : tensor<?x16x?xf32>, tensor<?x16x?xf32> -> tensor<?x16x?xf32>
    kiln.yield %1 : tensor<?x16x?xf32>
  }
  kiln.kernel @conv_leaky_relu_Dx16xDxf32_9(%arg0: tensor<?x16x?xf32>, %arg1: tensor<16x16x3xf32>, %arg2: tensor<16xf32>) -> tensor<?x16x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [3, 3] dilations [3] : tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32> -> tensor<?x16x?xf32>
    %1 = kiln.leaky_relu %0 alpha 0.10000000149011612 : tensor<?x16x?xf32>
    kiln.yield %1 : tensor<?x16x?xf32>
  }
  kiln.kernel @conv_add_leaky_relu_Dx16xDxf32(%arg0: tensor<?x16x?xf32>, %arg1: tensor<16x16x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<?x16x?xf32>) -> tensor<?x16x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x16x?xf32>, tensor<16x16x3xf32>, tensor<16xf32> -> tensor<?x16x?xf32>
    %1 = kiln.add %0, %arg3 : tensor<?x16x?xf32>, tensor<?x16x?xf32> -> tensor<?x16x?xf32>
    %2 = kiln.leaky_relu %1 alpha 0.10000000149011612 : tensor<?x16x?xf32>
    kiln.yield %2 : tensor<?x16x?xf32>
  }
  kiln.kernel @reverse_1x16x8x2x4xf32(%arg0: tensor<1x16x8x2x4xf32>) -> tensor<1x16x8x2x4xf32> {
    %0 = kiln.reverse %arg0 axes [3] : tensor<1x16x8x2x4xf32>
    kiln.yield %0 : tensor<1x16x8x2x4xf32>
  }
  kiln.kernel @transpose_1x8x4x16x2xf32(%arg0: tensor<1x16x8x2x4xf32>) -> tensor<1x8x4x16x2xf32> {
    %0 = kiln.transpose %arg0 perm [0, 2, 4, 1, 3] : tensor<1x16x8x2x4xf32> -> tensor<1x8x4x16x2xf32>
    kiln.yield %0 : tensor<1x8x4x16x2xf32>
  }
  kiln.kernel @conv_Dx32xDxf32(%arg0: tensor<?x16x?xf32>, %arg1: tensor<32x16x2xf32>, %arg2: tensor<32xf32>) -> tensor<?x32x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x16x?xf32>, tensor<32x16x2xf32>, tensor<32xf32> -> tensor<?x32x?xf32>
    kiln.yield %0 : tensor<?x32x?xf32>
  }
  kiln.kernel @transpose_Dx8xDx4xf32(%arg0: tensor<?x8x4x?xf32>) -> tensor<?x8x?x4xf32> {
    %0 = kiln.transpose %arg0 perm [0, 1, 3, 2] : tensor<?x8x4x?xf32> -> tensor<?x8x?x4xf32>
    kiln.yield %0 : tensor<?x8x?x4xf32>
  }
  kiln.kernel @slice_Dx8xDxf32(%arg0: tensor<?x8x?xf32>, %arg1: index, %arg2: index) -> tensor<?x8x?xf32> {
    %0 = kiln.slice %arg0 offsets [0, 0, 2] sizes [%arg1, 8, %arg2] strides [1, 1, 1] : tensor<?x8x?xf32> -> tensor<?x8x?xf32>
    kiln.yield %0 : tensor<?x8x?xf32>
  }
  kiln.kernel @leaky_relu_Dx8xDxf32(%arg0: tensor<?x8x?xf32>) -> tensor<?x8x?xf32> {
    %0 = kiln.leaky_relu %arg0 alpha 0.10000000149011612 : tensor<?x8x?xf32>
    kiln.yield %0 : tensor<?x8x?xf32>
  }
  kiln.kernel @conv_leaky_relu_Dx8xDxf32(%arg0: tensor<?x8x?xf32>, %arg1: tensor<8x8x3xf32>, %arg2: tensor<8xf32>) -> tensor<?x8x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32> -> tensor<?x8x?xf32>
    %1 = kiln.leaky_relu %0 alpha 0.10000000149011612 : tensor<?x8x?xf32>
    kiln.yield %1 : tensor<?x8x?xf32>
  }
  kiln.kernel @conv_add_Dx8xDxf32(%arg0: tensor<?x8x?xf32>, %arg1: tensor<8x8x3xf32>, %arg2: tensor<8xf32>, %arg3: tensor<?x8x?xf32>) -> tensor<?x8x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32> -> tensor<?x8x?xf32>
    %1 = kiln.add %0, %arg3 : tensor<?x8x?xf32>, tensor<?x8x?xf32> -> tensor<?x8x?xf32>
    kiln.yield %1 : tensor<?x8x?xf32>
  }
  kiln.kernel @conv_leaky_relu_Dx8xDxf32_10(%arg0: tensor<?x8x?xf32>, %arg1: tensor<8x8x3xf32>, %arg2: tensor<8xf32>) -> tensor<?x8x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [3, 3] dilations [3] : tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32> -> tensor<?x8x?xf32>
    %1 = kiln.leaky_relu %0 alpha 0.10000000149011612 : tensor<?x8x?xf32>
    kiln.yield %1 : tensor<?x8x?xf32>
  }
  kiln.kernel @conv_add_leaky_relu_Dx8xDxf32(%arg0: tensor<?x8x?xf32>, %arg1: tensor<8x8x3xf32>, %arg2: tensor<8xf32>, %arg3: tensor<?x8x?xf32>) -> tensor<?x8x?xf32> {
    %0 = kiln.conv %arg0, %arg1 bias %arg2 strides [1] pads [1, 1] dilations [1] : tensor<?x8x?xf32>, tensor<8x8x3xf32>, tensor<8xf32> -> tensor<?x8x?xf32>
    %1 = kiln.add %0, %arg3 : tensor<?x8x?xf32>, tensor<?x8x?xf32> -> tensor<?x8x?xf32>
    %2 = kiln.leaky_relu %1 alpha 0.0099999997764825821 : tensor<?x8x?xf32>
    kiln.yield %2 : tensor<?x8x?xf32>
  }
  kiln.kernel @conv_tanh_Dx1xDxf32(%arg0: tensor<?x8x?xf32>, %arg1: tensor<1x8x7xf32>) -> tensor<?x1x?xf32> {
    %0 = kiln.conv %arg0, %arg1 strides [1] pads [3, 3] dilations [1] : tensor<?x8x?xf32>, tensor<1x8x7xf32> -> tensor<?x1x?xf32>
    %1 = kiln.tanh %0 : tensor<?x1x?xf32>
    kiln.yield %1 : tensor<?x1x?xf32>
  }
}
