import type { Media } from '../media.ts'
import type { SandboxPage } from '../site.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { pictureUrl } from './files.ts'
import { htmlPage, type PageHead, relayed, watched } from './video-page.ts'

const GROUP = '100090000000009'

/** The ids of the posts with a video: one of its creator, one in a group. Both end with the video's id. */
const postId = /^(?:pfbid0Sandbox|9)(\d{16})$/

/** The posts of a video, in the canonical form of `parseVideoUrl`. */
export const postUrlsOf = ({ id, creator }: FacebookVideo): [own: string, inGroup: string] => [
  `https://www.facebook.com/${creator.handle}/posts/pfbid0Sandbox${id}`,
  `https://www.facebook.com/groups/${GROUP}/posts/9${id}`,
]

/** The id of the video in a post; undefined if the path is not that of a post. */
export function videoInPostAt(pathname: string): string | undefined {
  const [, post = ''] = /^\/(?:groups\/)?[^/]+\/posts\/(\w+)\/?$/.exec(pathname) ?? []
  const id = postId.exec(post)?.[1]
  return facebookVideos.find((video) => video.id === id)?.id
}

/** The data of a post's page. */
export type PostPageData = { head: PageHead; node: object }

/** The page of a post with a video, for visitors who have not signed in. */
export const postPage = (video: FacebookVideo, media: Media): SandboxPage => ({
  data: {
    head: { title: video.creator.name, description: video.description, image: pictureUrl(video) },
    node: story(video, media),
  } satisfies PostPageData,
  render: (data) => {
    const { head, node } = data as PostPageData
    return htmlPage(head, [relayed('adp_CometSinglePostContentQueryRelayPreloader', { node })])
  },
})

function story(video: FacebookVideo, media: Media): object {
  const { creator, views } = video
  const styles = { attachment: { media: watched(video, media) } }
  return {
    actors: [{ __typename: 'User', id: creator.id, name: creator.name }],
    comet_sections: {
      content: { story: { attachments: [{ styles }] } },
      feedback: { story: { feedback_context: { feedback_target_with_context: counted(views) } } },
    },
  }
}

const counted = (views: number): object => ({
  ufi_renderer: {
    feedback: { comet_ufi_summary_and_actions_renderer: { feedback: { video_view_count: views } } },
  },
})
