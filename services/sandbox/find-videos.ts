import type { CatalogueVideo } from './catalogue.ts'

/**
 * Videos that have words of a query in their title, description or creator. Most matching words first, then most views.
 */
export function findVideos(videos: readonly CatalogueVideo[], query: string): CatalogueVideo[] {
  const words = wordsOf(query)
  const scored = videos.map((video) => {
    const has = new Set(wordsOf(`${video.title} ${video.description} ${video.creator.name} ${video.creator.handle}`))
    return { video, score: words.filter((word) => has.has(word)).length }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.video.views - a.video.views)
    .map(({ video }) => video)
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
