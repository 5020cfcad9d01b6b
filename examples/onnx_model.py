"""Train here, predict anywhere: the classifier as an ONNX model."""

import numpy as np
import onnxruntime
from sklearn.datasets import load_wine

from optimargin import OptimalMarginClassifier
from optimargin.onnx import to_onnx

X, y = load_wine(return_X_y=True)
names = np.array(["barolo", "grignolino", "barbera"])[y]
classifier = OptimalMarginClassifier(random_state=0).fit(X, names)

model = to_onnx(classifier)
print(f"{model.ByteSize()} bytes")  # onnx.save(model, "wine.onnx") writes them

session = onnxruntime.InferenceSession(model.SerializeToString())
label, scores = session.run(["label", "scores"], {"X": X})
print("same labels:", np.array_equal(label, classifier.predict(X)))
print(f"largest difference of scores: {np.abs(scores - classifier.decision_function(X)).max():.1e}")
