import { expect } from 'chai'
import { trySites } from '../site.harness.ts'
import { type Post, textPost, xVideos } from './catalogue.ts'
import { shortCodeOf } from './post-answers.ts'
import { xSites } from './site.ts'

const [first] = xVideos as [Post]
const graphql = `https://x.com/i/api/graphql/a/TweetResultByRestId?variables=${encodeURIComponent(`{"tweetId":"${first.id}"}`)}`

describe('the sandbox’s X', () => {
  const { ask, statusOf, leadsTo } = trySites(xSites)

  it('redirects every short link to its post', async () => {
    for (const post of [...xVideos, textPost])
      expect(await leadsTo(`https://t.co/${shortCodeOf(post.id)}`)).to.equal(post.url)
  })

  it('gives browsers a page instead of a redirect', async () => {
    const link = `https://t.co/${shortCodeOf(first.id)}`
    expect(await ask(link, { headers: { 'user-agent': 'curl' } })).to.include({
      status: 301,
      location: `${first.url}/video/1`,
    })
    const page = await ask(link, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' } })
    expect([page.status, page.location]).to.deep.equal([200, undefined])
    expect(page.body.toString()).to.include(`URL=${first.url}/video/1`)
  })

  it('redirects from its old names to its new one', async () => {
    for (const host of ['twitter.com', 'mobile.twitter.com', 'www.x.com'])
      expect((await ask(`https://${host}/a/status/1?s=20`)).location).to.equal('https://x.com/a/status/1?s=20')
  })

  it('answers only guests with a token', async () => {
    const authorization = 'Bearer sandbox'
    expect(await statusOf(graphql)).to.equal(403)
    expect(await statusOf(graphql, { headers: { authorization } })).to.equal(403)
    const activation = 'https://api.x.com/1.1/guest/activate.json'
    expect(await statusOf(activation, { method: 'POST' })).to.equal(403)
    const { body } = await ask(activation, { headers: { authorization }, method: 'POST' })
    const { guest_token: token } = JSON.parse(body.toString())
    expect(await statusOf(graphql, { headers: { authorization, 'x-guest-token': token } })).to.equal(200)
  })
})
