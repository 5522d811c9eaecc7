"""Tiny random models in the shape of BGE-M3 and of the BGE reranker, made in a second, loaded by the real libraries.

Their numbers mean nothing; what matters is that files, tokenizer and code paths are the real ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

HIDDEN = 32
_TEXTS = [
    "栈只允许在一端插入和删除，最后放进去的元素最先取出来。",
    "队列在队尾插入，在队头删除，先到的先离开。",
    "期末考试占总成绩的一半，缺勤三次取消资格。",
    "A stack is last in, first out; a queue is first in, first out.",
    "def push(stack, item): stack.append(item)",
]
_MARKS = ["<s>", "<pad>", "</s>", "<unk>"]  # ids 0 to 3, as XLM-RoBERTa has them


def make_bge_m3(folder: Path) -> Path:
    """A folder that BGEM3FlagModel loads."""
    import torch
    from transformers import XLMRobertaModel

    tokenizer = _tokenizer()
    torch.manual_seed(7)
    _save(folder, XLMRobertaModel(_config(tokenizer)), tokenizer)
    sparse = torch.nn.Linear(HIDDEN, 1)
    with torch.no_grad():
        sparse.bias.fill_(0.4)  # else a random head gives half of the tokens no weight
    torch.save(sparse.state_dict(), folder / "sparse_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), folder / "colbert_linear.pt")
    return folder


def make_reranker(folder: Path) -> Path:
    """A folder that FlagReranker loads."""
    import torch
    from transformers import XLMRobertaForSequenceClassification

    tokenizer = _tokenizer()
    torch.manual_seed(8)
    network = XLMRobertaForSequenceClassification(_config(tokenizer, num_labels=1))
    with torch.no_grad():
        network.classifier.out_proj.weight.mul_(20)  # else all scores are alike
    _save(folder, network, tokenizer)
    return folder


def _save(folder: Path, network: Any, tokenizer: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _config(tokenizer: Any, **more: Any) -> Any:
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        intermediate_size=2 * HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=514,
        type_vocab_size=1,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        **more,
    )


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    cutter = Tokenizer(models.Unigram())
    cutter.normalizer = normalizers.NFKC()
    cutter.pre_tokenizer = pre_tokenizers.Metaspace()
    cutter.decoder = decoders.Metaspace()
    letters = sorted(set("".join(_TEXTS)) - {" "})
    options = {"vocab_size": 300, "special_tokens": _MARKS, "unk_token": _MARKS[3], "show_progress": False}
    trainer = trainers.UnigramTrainer(initial_alphabet=letters, **options)
    cutter.train_from_iterator(_TEXTS, trainer)
    cutter.add_special_tokens(["<mask>"])
    cutter.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>", "mask": "<mask>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=cutter,
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
        **{f"{name}_token": mark for name, mark in names.items()},
    )
