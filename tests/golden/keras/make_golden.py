"""Writes golden.json: what Keras makes of small networks after some steps, for golden_keras to agree with.

    python3 -m venv VENV && VENV/bin/pip install keras==3.15.1 'jax[cpu]==0.10.2'
    KERAS_BACKEND=jax VENV/bin/python tests/golden/keras/make_golden.py

Every case starts from weights and data that are written into the file, so that nothing but the arithmetic of the
layers, the loss and the optimizer can differ.
"""
import json
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, INPUTS, CLASSES, STEPS = 12, 5, 3, 6


def adam(**options):
    return {"adam": options}, lambda: keras.optimizers.Adam(
        learning_rate=options.get("learningRate", 0.001), beta_1=options.get("beta1", 0.9),
        beta_2=options.get("beta2", 0.999), epsilon=options.get("epsilon", 1e-7))


def sgd(**options):
    return {"sgd": options}, lambda: keras.optimizers.SGD(
        learning_rate=options.get("learningRate", 0.01), momentum=options.get("momentum", 0.0),
        nesterov=options.get("nesterov", False))


def case(name, hidden, last, loss, optimizer, rescaling=False):
    """One network: a hidden layer of 7 units, an output layer of CLASSES; STEPS full-batch steps."""
    rng = np.random.default_rng(len(name) * 1000 + sum(map(ord, name)))
    inputs = rng.normal(size=(ROWS, INPUTS)).astype(np.float32)
    labels = rng.integers(0, CLASSES, size=ROWS)
    sparse = loss == "sparse_categorical_crossentropy"
    targets = labels[:, None].astype(np.float32) if sparse else np.eye(CLASSES, dtype=np.float32)[labels]
    layers = [keras.Input((INPUTS,))]
    if rescaling:
        layers.append(keras.layers.Rescaling(0.5, 0.25))
    layers += [keras.layers.Dense(7, activation=hidden), keras.layers.Dense(CLASSES, activation=last)]
    model = keras.Sequential(layers)
    weights = [rng.normal(scale=0.5, size=w.shape).astype(np.float32) for w in model.get_weights()]
    model.set_weights(weights)
    words, make = optimizer
    model.compile(optimizer=make(), loss=loss)
    flat = lambda tensors: [float(x) for tensor in tensors for x in np.asarray(tensor).reshape(-1)]
    losses, after = [], []
    for _ in range(STEPS):
        losses.append(float(model.train_on_batch(inputs, targets)))
        after.append(flat(model.get_weights()))
    return {"name": name, "hidden": hidden, "last": last, "loss": loss, "optimizer": words, "rescaling": rescaling,
            "rows": ROWS, "inputs": flat([inputs]), "targets": flat([targets]), "weights": flat(weights),
            "losses": losses, "weightsAfter": [after[0], after[-1]],
            "outputs": flat([model.predict(inputs, verbose=0)])}


def main():
    cases = [case(f"hidden {a}", a, "softmax", "sparse_categorical_crossentropy", sgd(learningRate=0.1))
             for a in ("linear", "relu", "elu", "tanh", "sigmoid", "softmax")]
    cases += [case(f"loss {loss}", "tanh", last, loss, sgd(learningRate=0.1)) for loss, last in (
        ("categorical_crossentropy", "softmax"), ("categorical_crossentropy", "sigmoid"),
        ("sparse_categorical_crossentropy", "sigmoid"), ("log_cosh", "softmax"), ("log_cosh", "linear"),
        ("mean_squared_error", "sigmoid"), ("mean_squared_error", "linear"))]
    cases += [case(f"optimizer {name}", "relu", "softmax", "sparse_categorical_crossentropy", optimizer)
              for name, optimizer in (
                  ("adam", adam()), ("adam 0.1", adam(learningRate=0.1)),
                  ("adam betas", adam(learningRate=0.02, beta1=0.8, beta2=0.95, epsilon=1e-3)),
                  ("momentum", sgd(learningRate=0.05, momentum=0.9)),
                  ("nesterov", sgd(learningRate=0.05, momentum=0.9, nesterov=True)))]
    cases.append(case("rescaling", "relu", "softmax", "sparse_categorical_crossentropy", adam(), rescaling=True))
    with open(os.path.join(HERE, "golden.json"), "w", encoding="utf-8") as file:
        file.write('{"keras": "%s", "backend": "%s", "cases": [\n' % (keras.__version__, keras.backend.backend()))
        file.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
        file.write("\n]}\n")


if __name__ == "__main__":
    main()
