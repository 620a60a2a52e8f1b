/** Who made the text of captions: the names in events, and the words of `/v1`. */
export const captionSources = {
  human: 'captions',
  automatic: 'automatic_captions',
  translated: 'translated_captions',
} as const
