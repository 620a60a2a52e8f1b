"""Replaces the library of this name: faster_whisper imports it to download models, which are already here."""
