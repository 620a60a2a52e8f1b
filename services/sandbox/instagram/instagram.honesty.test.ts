import { expect } from 'chai'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import { at, type Exception, expectHonest } from '../honesty.fixture.ts'
import { loadMedia, type Media } from '../media.ts'
import { instagramCreators, instagramPictures, instagramVideos } from './catalogue.ts'
import { productOf } from './product.ts'
import { nodeOf, profileInfo } from './profile.ts'
import { instagramShapes } from './shapes.fixture.ts'

const posts = [...instagramVideos, ...instagramPictures]

const ofPosts: Exception[] = [
  { path: 'audience', reason: 'no post for close friends was recorded; clients of the interface name the field' },
  {
    path: 'carousel_media.*.pk',
    reason: 'recorded as a number that JavaScript cannot write; Instagram has sent text since, as for the post itself',
  },
]
const ofProfiles: Exception[] = [
  { path: 'edge_sidecar_to_children', reason: 'the recorded profile has one post, a reel; our parser names the path' },
  { path: 'edge_sidecar_to_children.*', reason: 'as above' },
]

/** Elements that Instagram uses to list sound and picture. */
const dashElements = [
  '<AdaptationSet',
  '<BaseURL',
  '<Initialization',
  '<MPD',
  '<Period',
  '<Representation',
  '<SegmentBase',
]

/** Parts that are compared separately. */
const NODES = 'data.user.edge_owner_to_timeline_media.edges.*.node.*'

describe('the sandbox’s Instagram is honest', () => {
  let media: Media
  before(async () => {
    media = await loadMedia()
  })

  it('shows a post with no key that Instagram does not have', () => {
    for (const post of posts) {
      expectHonest(productOf(post, media), [instagramShapes.post], { exceptions: ofPosts, of: post.id })
    }
  })

  it('writes manifests with the elements that Instagram uses', () => {
    const own = at(productOf(posts[0] as never, media), 'video_dash_manifest')
    expect(dashElements).to.include.members(elementsOf(own))
  })

  it('shows a profile with no key that Instagram does not have', () => {
    const exceptions = [{ path: NODES, reason: 'compared by themselves below' }]
    for (const creator of instagramCreators) {
      expectHonest(profileInfo(creator), [instagramShapes.profile], { exceptions, of: creator.handle })
    }
  })

  it('shows a profile’s post with no key that Instagram does not have', () => {
    for (const post of posts) {
      expectHonest(nodeOf(post), [instagramShapes.profilePost], { exceptions: ofProfiles, of: post.id })
    }
  })
})

/** Compares the shapes and words above with the recordings. */
describeRecorded('the shapes match the real Instagram', () => {
  const carousel = (): unknown => at(recordedJson('instagram/media-info.carousel.media-3.json'), 'items.0')
  const parts = (): unknown[] => at(carousel(), 'carousel_media') as unknown[]

  it('of a reel, a carousel and a part of one', () => {
    const reel = at(recordedJson('instagram/api-v1-feed-user.items.json'), 'items.0')
    const recorded = [reel, carousel(), ...parts(), { carousel_media: [reel] }]
    expectHonest(instagramShapes.post, recorded)
  })

  it('of manifests', () => {
    const recorded = parts().flatMap((part) => elementsOf(at(part, 'video_dash_manifest') ?? ''))
    expect(recorded).to.include.members(dashElements)
  })

  it('of profiles and their posts', () => {
    const profile = recordedJson('instagram/web_profile_info.adrianhorning.json')
    const single = ['reel.DF5s0duxDts', 'reel.DM9SzYUxZhP', 'post.DOo9lJeDE-d'].map((name) =>
      at(recordedJson(`instagram/xdt_shortcode_media.${name}.json`), 'data.xdt_shortcode_media'),
    )
    const posts = [at(profile, 'data.user.edge_owner_to_timeline_media.edges.0.node'), ...single]
    expectHonest(instagramShapes.profile, [profile])
    expectHonest(instagramShapes.profilePost, posts)
  })
})

const elementsOf = (xml: unknown): string[] => [...new Set(String(xml).match(/<\w+/g))]
