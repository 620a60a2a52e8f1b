import type { Shape } from '../reading/shape.ts'

/** The tags of a video in an answer of the player. Null if none are known: the player never sends an empty list. */
export function keywordsOf(player: Shape): string[] | null {
  const words = player.optional('strings', 'videoDetails', 'keywords')
  return words === null || words.length === 0 ? null : words
}
