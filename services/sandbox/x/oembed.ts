import { oembedOf } from '../oembed.ts'
import { xVideos } from './catalogue.ts'
import { shortCodeOf } from './post-answers.ts'

/** `publish.x.com/oembed`: the words of a post are in its HTML only. */
export const xOembed = oembedOf(xVideos, ({ id, url, description, creator, published }) => {
  const media = `<a href="https://t.co/${shortCodeOf(id)}">pic.twitter.com/${shortCodeOf(id)}</a>`
  const words = `${description.replaceAll('&', '&amp;')} ${media}`
  const date = new Date(published).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  const signed = `&mdash; ${creator.name} (@${creator.handle}) <a href="${url}?ref_src=twsrc%5Etfw">${date}</a>`
  return {
    url,
    author_name: creator.name,
    author_url: `https://x.com/${creator.handle}`,
    html: `<blockquote class="twitter-tweet"><p lang="en" dir="ltr">${words}</p>${signed}</blockquote>\n`,
    width: 550,
    height: null,
    type: 'rich',
    cache_age: '3153600000',
    provider_name: 'X',
    provider_url: 'https://x.com',
  }
})
