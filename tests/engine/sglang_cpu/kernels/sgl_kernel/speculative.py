"""The name under which SGLang looks for the operators of its n-gram drafter."""

from .trees import reconstruct_indices_from_tree_mask

__all__ = ["reconstruct_indices_from_tree_mask"]
