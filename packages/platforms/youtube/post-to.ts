import { askPlatform, type Browse } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import type { Site } from '../reading/site.ts'
import type { Post } from './innertube.ts'

/** Sends requests as a browser. The library's own headers are not used: the reader imitates a whole browser. */
export const postTo =
  (site: Site, browse: Browse, reading: Reading): Post =>
  async (url, { 'user-agent': _, ...headers }, body) =>
    (await askPlatform(site, browse, { url, method: 'POST', headers, body }, reading)).text
