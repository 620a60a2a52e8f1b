"""Stands in for the library of that name: faster_whisper imports it to download models, which are here already."""
