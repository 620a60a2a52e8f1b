/** The same as program.mjs, with the packed client as a CommonJS module. */
const { VideoIntelligence } = require('video-intelligence')

const [, , baseUrl, apiKey, captioned, hidden] = process.argv
import('./work.mjs')
  .then(({ work }) => work(new VideoIntelligence({ baseUrl, apiKey }), captioned, hidden))
  .then((got) => console.log(JSON.stringify(got)))
