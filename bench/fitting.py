"""Small smooth problems fitted by numpy alone: a listwise softmax under gated weights, and a logistic model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.ranking import Linear

Floats = npt.NDArray[np.float64]
CLIP = 2.5  # as ranking.Linear clips


def fit_gate(names: tuple[str, ...], profiles: Floats, parts: Floats, targets: Floats, weights: Floats) -> Linear:
    """Question features -> logits of the parts' weights, by the cross-entropy of the fused scores.

    `profiles` (n, len(names)); `parts` (n, rows, parts), 0..1, NaN in a row that is no candidate; `targets` (n, rows).
    """
    mean, scale = _standard(profiles)
    profile = np.clip((profiles - mean) / scale, -CLIP, CLIP)
    mask = np.where(np.isnan(parts[..., 0]), -1e9, 0.0)
    values = np.nan_to_num(parts)
    n_gate, n_parts = len(names), parts.shape[2]

    def loss(theta: Floats) -> Floats:
        matrix, bias, heat = _taken(theta, n_gate, n_parts)
        logits = profile @ matrix + bias
        share = np.exp(logits - logits.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        fused = np.einsum("qrp,qp->qr", values, share)
        slope = _listwise_slope(heat * fused + mask, targets, weights)
        by_share = np.einsum("qr,qrp->qp", slope, values) * heat
        by_logit = share * (by_share - (share * by_share).sum(1, keepdims=True))
        return np.concatenate(
            [
                (profile.T @ by_logit + 0.02 * matrix).ravel(),
                by_logit.sum(0) + 0.002 * bias,
                [(slope * fused).sum() * heat],
            ]
        )

    start = np.concatenate([np.zeros(n_gate * n_parts + n_parts), [2.0]])
    matrix, bias, _ = _taken(minimise(loss, start), n_gate, n_parts)
    return Linear(names, mean, scale, np.vstack([matrix, bias]))


def fit_logistic(names: tuple[str, ...], values: Floats, labels: Floats, weights: Floats) -> Linear:
    """Features -> the logit of the label. `values` (n, len(names))."""
    mean, scale = _standard(values)
    inputs = np.hstack([np.clip((values - mean) / scale, -CLIP, CLIP), np.ones((len(values), 1))])

    def slope(theta: Floats) -> Floats:
        wrong = weights * (1 / (1 + np.exp(-(inputs @ theta))) - labels)
        return inputs.T @ wrong + 0.006 * np.append(theta[:-1], 0)

    return Linear(names, mean, scale, minimise(slope, np.zeros(len(names) + 1))[:, None])


def minimise(slope: Callable[[Floats], Floats], theta: Floats, steps: int = 300) -> Floats:
    """Adam over all data at once, the rate falling as a cosine."""
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, steps + 1):
        gradient = slope(theta)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = 0.05 * (1 + np.cos(np.pi * step / steps))
        theta = theta - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
    return theta


def padded(arrays: Sequence[Floats], fill: float) -> Floats:
    """Arrays of different lengths as one, the missing rows filled."""
    most = max(len(array) for array in arrays)
    pads = [((0, most - len(array)),) + ((0, 0),) * (array.ndim - 1) for array in arrays]
    return np.stack([np.pad(array, pad, constant_values=fill) for array, pad in zip(arrays, pads, strict=True)])


def refusal(sure: Floats, labels: Floats) -> dict[str, float]:
    """AUROC of "answerable", the share of the unanswerable refused at 10% false refusals, the calibration error."""
    right, wrong = sure[labels == 1], sure[labels == 0]
    if not len(right) or not len(wrong):
        return {}
    wins = (right[:, None] > wrong[None, :]).mean() + 0.5 * (right[:, None] == wrong[None, :]).mean()
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(sure[bins == b].mean() - labels[bins == b].mean()) * (bins == b).mean() for b in set(bins.tolist())]
    refused = float((wrong < np.quantile(right, 0.1)).mean())
    return {"auroc": float(wins), "refused_at_10": refused, "ece": float(sum(gaps))}


def _taken(theta: Floats, n_gate: int, n_parts: int) -> tuple[Floats, Floats, float]:
    matrix = theta[: n_gate * n_parts].reshape(n_gate, n_parts)
    return matrix, theta[n_gate * n_parts : -1], float(np.exp(theta[-1]))


def _listwise_slope(scores: Floats, targets: Floats, weights: Floats) -> Floats:
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return weights[:, None] * (shares / shares.sum(1, keepdims=True) - targets)


def _standard(values: Floats) -> tuple[Floats, Floats]:
    return values.mean(0), values.std(0) + 1e-6
