import { expect } from 'chai'
import { readOembed } from '#packages/platforms/oembed/read-oembed.ts'
import type { DriftReport } from '#packages/platforms/reading/site.ts'
import { platforms } from '#packages/platforms/registry.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { sandboxPlatforms } from './sandbox-platforms.ts'
import { trySites } from './site.harness.ts'

const embedding = platforms.filter(({ oembed }) => oembed !== undefined)

describe('the sandbox’s oEmbed interfaces, read by our reader', () => {
  const harness = trySites((media) => Object.values(sandboxPlatforms).flatMap(({ sites }) => sites(media)))

  const read = async ({ platform, url }: CatalogueVideo) => {
    const definition = platforms.find(({ name }) => name === platform)
    if (definition?.oembed === undefined) return expect.fail(`${platform} has none`)
    const drift: DriftReport[] = []
    const ask = readOembed(definition, definition.oembed, { report: (report) => void drift.push(report) })
    const embedded = await ask(url, harness.routeOf('mine').egress, AbortSignal.timeout(10_000))
    expect(drift).to.deep.equal([])
    return embedded
  }

  it('cover every platform except Facebook, which requires a key', () => {
    expect(embedding.map(({ name }) => name)).to.have.members(['youtube', 'tiktok', 'instagram', 'x'])
  })

  for (const { name } of embedding)
    it(`show the title, author and thumbnail of each video of ${name}`, async () => {
      const videos = sandboxPlatforms[name].videos.filter(({ trouble }) => trouble === undefined).slice(0, 3)
      for (const video of videos) {
        const { title, author, thumbnail } = await read(video)
        expect(title).to.equal(name === 'youtube' ? video.title : video.description)
        expect(author).to.equal(name === 'instagram' ? video.creator.handle : video.creator.name)
        if (name === 'x') expect(thumbnail).to.equal(null)
        else expect(thumbnail).to.match(/^https:\/\//)
      }
    })

  it('show nothing of a video that is not public, and refuse as the platform does', async () => {
    const codeOf = async (trouble: CatalogueVideo['trouble']) => {
      const video = sandboxPlatforms.youtube.videos.find((one) => one.trouble === trouble) as CatalogueVideo
      return read(video).catch(({ code }) => code)
    }
    expect(await codeOf('private')).to.equal('upstream_error')
    expect(await codeOf('rate_limited')).to.equal('platform_blocked')
  })
})
