import type { Media } from './media.ts'
import type { Site } from './site.ts'

/** A host of media files, for requests with the URL of a file: `http://films.example.com/sense-and-sensibility.mp4`. */
export const mediaFilesSite = ({ chapter }: Media): Site => ({
  hosts: ['films.example.com'],
  answer({ url }) {
    if (url.pathname !== '/sense-and-sensibility.mp4') return undefined
    return { status: 200, headers: { 'content-type': chapter.film.type }, body: chapter.film.body }
  },
})
