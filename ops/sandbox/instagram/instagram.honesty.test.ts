import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { at, type Difference, differences, type Exception } from '../honesty.ts'
import { loadMedia, type Media } from '../media.ts'
import { instagramCreators, instagramPictures, instagramVideos } from './catalogue.ts'
import { productOf } from './product.ts'
import { nodeOf, profileInfo } from './profile.ts'

const posts = [...instagramVideos, ...instagramPictures]

const ofPosts: Exception[] = [
  {
    path: 'carousel_media.*.pk',
    reason: 'recorded as a number that JavaScript cannot write; Instagram has sent text since, as for the post itself',
  },
]
const ofProfiles: Exception[] = [
  { path: 'edge_sidecar_to_children', reason: 'the recorded profile has one post, a reel; our parser names the path' },
  { path: 'edge_sidecar_to_children.*', reason: 'as above' },
]

describeRecorded('the sandbox’s Instagram is honest', () => {
  let media: Media
  before(async () => {
    media = await loadMedia()
  })

  const parts = (): unknown[] =>
    at(recordedJson('instagram/media-info.carousel.media-3.json'), 'items.0.carousel_media') as unknown[]

  it('shows nothing of a post that was not recorded of a reel, a carousel or a part of one', () => {
    const recorded = [
      at(recordedJson('instagram/api-v1-feed-user.items.json'), 'items.0'),
      at(recordedJson('instagram/media-info.carousel.media-3.json'), 'items.0'),
      ...parts(),
      { carousel_media: [at(recordedJson('instagram/api-v1-feed-user.items.json'), 'items.0')] },
    ]
    for (const post of posts) {
      const found = differences(sent(productOf(post, media)), recorded, { exceptions: ofPosts })
      expect(found.map(inWords), post.id).eql([])
    }
  })

  it('writes manifests of the elements that were recorded', () => {
    const elements = (xml: unknown) => new Set(String(xml).match(/<\w+/g))
    const recorded = parts().flatMap((part) => at(part, 'video_dash_manifest') ?? [])
    const known = new Set(recorded.flatMap((xml) => [...elements(xml)]))
    const own = at(sent(productOf(posts[0] as never, media)), 'video_dash_manifest')
    expect([...known]).include.members([...elements(own)])
  })

  it('shows nothing on a profile that was not recorded', () => {
    const recorded = [recordedJson('instagram/web_profile_info.adrianhorning.json')]
    const nodes = 'data.user.edge_owner_to_timeline_media.edges.*.node'
    const exceptions = [{ path: `${nodes}.*`, reason: 'compared by themselves below' }]
    for (const creator of instagramCreators)
      expect(differences(sent(profileInfo(creator)), recorded, { exceptions }).map(inWords), creator.handle).eql([])
  })

  it('shows nothing of a profile’s post that was not recorded', () => {
    const edges = 'data.user.edge_owner_to_timeline_media.edges'
    const single = ['reel.DF5s0duxDts', 'reel.DM9SzYUxZhP', 'post.DOo9lJeDE-d'].map((name) =>
      at(recordedJson(`instagram/xdt_shortcode_media.${name}.json`), 'data.xdt_shortcode_media'),
    )
    const recorded = [at(recordedJson('instagram/web_profile_info.adrianhorning.json'), `${edges}.0.node`), ...single]
    for (const post of posts)
      expect(differences(sent(nodeOf(post)), recorded, { exceptions: ofProfiles }).map(inWords), post.id).eql([])
  })

  it(
    'known gap: what stands around a post (xig_polaris_media), the profile’s page (xig_user_by_username), the ruling and carousels of profiles have no recording',
  )
})

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const inWords = ({ path, problem, seen, recorded }: Difference): string => `${path}: ${problem} (${seen}; ${recorded})`
