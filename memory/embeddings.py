"""Texts as vectors, for finding what resembles a text. Embeddings of a provider's model are made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DIMENSIONS = 512
"""Of the hashing embedding."""
_ROWS = 256
"""Rows compared at once, which keeps the products in the processor's cache."""


class EmbeddingError(ValueError):
    """An embedding that cannot be had; the message names it, what was expected and the fix."""


class Embedder(Protocol):
    """Makes vectors of texts; usable from several threads at once."""

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts: float32, shape (texts, dimensions), every row of length 1."""
        ...


class Hashing:
    """Words and character n-grams (3 and 4) hashed into 512 dimensions, half of the weight each. Offline, untrained.

    The hashing trick of Weinberger et al. 2009, by scikit-learn's HashingVectorizer.
    """

    name = "hashing"

    def embed(self, texts: Sequence[str]) -> Vectors:
        words, characters = _vectorizers()
        return unit_rows((words.transform(texts) + characters.transform(texts)).toarray())


@cache
def _vectorizers() -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import HashingVectorizer

    return (
        HashingVectorizer(n_features=DIMENSIONS, token_pattern=r"(?u)\w+", norm="l2"),
        HashingVectorizer(n_features=DIMENSIONS, analyzer="char_wb", ngram_range=(3, 4), norm="l2"),
    )


class MiniLM:
    """all-MiniLM-L6-v2 as ONNX, 384 dimensions, as Chroma ships it: downloaded once, offline from then on."""

    name = "minilm"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raises EmbeddingError where the model is neither here nor can be fetched."""
        try:
            return unit_rows(_minilm()(list(texts)))
        except Exception as error:  # a download fails in as many ways as there are networks
            raise EmbeddingError(
                f"embedding 'minilm' cannot be used ({type(error).__name__}: {' '.join(str(error).split())[:200]}): "
                "it is downloaded at first use; use hashing where there is no network"
            ) from error


@cache
def _minilm() -> Any:
    from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2

    return ONNXMiniLM_L6_V2()


def open_embedder(name: str) -> Embedder:
    """An embedding by name. Raises EmbeddingError for one that is not known here."""
    if name == "hashing":
        return Hashing()
    if name == "minilm":
        return MiniLM()
    raise EmbeddingError(
        f"no embedding is called '{name}': use hashing, minilm, or a model as litellm names it (PROVIDER/MODEL)"
    )


def similarities(rows: Vectors, vector: Vectors) -> list[float]:
    """The cosine similarity of each of some vectors (rows, shape (n, dimensions)) to one, all of length 1.

    The same on every processor: a product of matrices would be summed in an order that the processor decides, and of
    two texts that resemble a third as much, the last bit would choose. Rounded to 5 decimals, which the vectors'
    own precision allows.
    """
    import numpy as np

    wide = np.asarray(vector, dtype=np.float64)
    found: list[float] = []
    for at in range(0, len(rows), _ROWS):
        # Products of two float32 are exact in float64, and numpy's sum has an order of its own.
        found += (rows[at : at + _ROWS] * wide).sum(axis=1).round(5).tolist()
    return found


def unit_rows(rows: Any) -> Vectors:
    """Rows scaled to length 1, as float32; a row of zeros, such as an empty text's, becomes the first axis."""
    import numpy as np

    vectors = np.array(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    empty = lengths[:, 0] == 0
    vectors[empty, 0] = 1.0
    lengths[empty] = 1.0
    scaled: Vectors = vectors / lengths
    return scaled
