"""A release on its way to its name: written beside it, verified, renamed. Whatever goes wrong, nothing stays behind."""

from __future__ import annotations

import uuid
from typing import Any

from .._errors import OutputError

#: Stores that copy what they rename, file by file.
COPYING = ("s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos")


class Staging:
    """A folder beside the release, in the file system of the release."""

    def __init__(self, spark: Any, path: str) -> None:
        """Refuses a name that is taken, and folders that cannot be renamed at once."""
        self._hadoop = spark._jvm.org.apache.hadoop.fs
        self._gateway = spark.sparkContext._gateway
        self._conf = spark._jsc.hadoopConfiguration()
        self.path = path
        self._guard(self._look)

    def _look(self) -> None:
        final = self._hadoop.Path(self.path)
        self._refuse_copying(final)
        self._files = final.getFileSystem(self._conf)
        self._final = self._files.makeQualified(final)
        self._refuse_copying(self._final)
        self._free()
        parent = self._final.getParent()
        if parent is None or not self._files.exists(parent):
            raise OutputError(f"cannot write {self.path}: its folder does not exist", "make it first", "path=")
        folder = self._hadoop.Path(parent, f".kinfold-{uuid.uuid4().hex}")
        #: The folder, and where in it the release is written.
        self.folder: str = folder.toString()
        self.release: str = self._hadoop.Path(folder, "release").toString()

    @staticmethod
    def _refuse_copying(path: Any) -> None:
        if (scheme := path.toUri().getScheme()) in COPYING:
            what = f"{scheme}:// cannot rename a folder at once, so a release would appear in parts"
            raise OutputError(what, "leave path= out, and write the frame that you get", "path=")

    def _free(self) -> None:
        if self._files.exists(self._final):
            raise OutputError(f"{self.path} exists", "choose another name, or remove it first", "path=")

    def publish(self) -> None:
        """Gives the release its name."""

        def rename() -> None:
            self._free()
            context = self._hadoop.FileContext.getFileContext(self._final.toUri(), self._conf)
            # Without options a folder that has appeared meanwhile is not replaced.
            options = self._gateway.new_array(getattr(self._hadoop, "Options$Rename"), 0)
            context.rename(self._hadoop.Path(self.release), self._final, options)

        self._guard(rename)

    def removed(self) -> bool:
        """Removes what is not published; says whether that went well."""
        try:
            self._guard(lambda: self._files.delete(self._hadoop.Path(self.folder), True))
        except OutputError:
            return False
        return True

    def _guard(self, call: Any) -> None:
        from py4j.protocol import Py4JJavaError

        try:
            call()
        except Py4JJavaError as error:
            why = error.java_exception.getClass().getSimpleName()
            raise OutputError(f"cannot write {self.path} ({why})", "may you write there?", "path=") from None
