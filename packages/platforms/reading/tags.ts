/** Letters, digits and underscores after a `#` that is part of neither an entity nor a URL. */
const hashtag = /(?<![&/])#([\p{L}\p{M}\p{N}_]+)/gu

/** The hashtags of a caption without their `#`, each once, in order. */
export const tagsOf = (caption: string | null): string[] => [
  ...new Set(Array.from((caption ?? '').matchAll(hashtag), ([, tag = '']) => tag)),
]
