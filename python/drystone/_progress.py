"""Who is told how far work is."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

__all__ = ["Progress", "told"]

#: A function that is called with the part that is done, from 0 to 1, and what is done now; True for a bar.
Progress = Union[Callable[[float, str], object], bool, None]


class _Bar:
    """A bar of tqdm."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar

    def __call__(self, done: float, what: str) -> None:
        self.bar.set_description(what, refresh=False)
        self.bar.n = round(max(self.bar.n, done), 3)
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class told:
    """The function that is told, while there is one: `with told(progress) as tell: ...`."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.bar: Optional[_Bar] = None

    def __enter__(self) -> Optional[Callable[[float, str], object]]:
        if self.progress is None or self.progress is False:
            return None
        if self.progress is not True:
            if not callable(self.progress):
                raise TypeError(f"progress must be a function or True, and is {self.progress!r}")
            return self.progress
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs tqdm: pip install tqdm, or give a function") from error
        self.bar = _Bar(tqdm(total=1.0, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"))
        return self.bar

    def __exit__(self, kind: Optional[type[BaseException]], *_: object) -> None:
        tell = self.bar if self.bar is not None else self.progress
        if kind is None and callable(tell):
            tell(1.0, "done")
        if self.bar is not None:
            self.bar.close()
