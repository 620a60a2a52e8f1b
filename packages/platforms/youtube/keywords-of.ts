import type { Shape } from '../reading/shape.ts'

/** The tags of a video in an answer of the player, which has no list of none; null where none are known. */
export function keywordsOf(player: Shape): string[] | null {
  const words = player.optional('strings', 'videoDetails', 'keywords')
  return words === null || words.length === 0 ? null : words
}
