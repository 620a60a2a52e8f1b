/**
 * Works with the packed client as an ECMAScript module. Arguments: base URL, key, a video with captions, a private one.
 * Prints its results as JSON. It runs in an empty project (`packed.ts`).
 */
import { VideoIntelligence } from 'video-intelligence'
import { work } from './work.mjs'

const [, , baseUrl, apiKey, captioned, hidden] = process.argv
console.log(JSON.stringify(await work(new VideoIntelligence({ baseUrl, apiKey }), captioned, hidden)))
