import { type FilmName, secondsOf } from '../films.ts'
import { type Post, xVideos } from './catalogue.ts'

/** One of the videos of a post. */
export type PostVideo = { post: Post; id: string; film: FilmName }

export const VIDEO_HOST = 'video.twimg.com'
export const PICTURE_HOST = 'pbs.twimg.com'

/** The sizes in which X encodes a video. Here all of them are the same file. */
export const sizes = [
  { size: '320x180', bitrate: 256_000, sound: 32_000 },
  { size: '640x360', bitrate: 832_000, sound: 64_000 },
]

/** A video's id differs from its post's, because it was uploaded a moment earlier. */
export function videosOf(post: Post): PostVideo[] {
  if (post.silent) return []
  return [post.film, ...(post.more ?? [])].map((film, index) => ({
    post,
    film,
    id: String(BigInt(post.id) - BigInt(8_192 * (index + 1))),
  }))
}

export const folderOf = ({ id }: PostVideo): string => `/ext_tw_video/${id}/pu`
export const pictureUrl = ({ id }: PostVideo): string =>
  `https://${PICTURE_HOST}/ext_tw_video_thumb/${id}/pu/img/KKN8tSQm60z2FmtE.jpg`
export const millisOf = ({ film }: PostVideo): number => Math.round(secondsOf(film) * 1_000)

/** `video_info.variants`: a playlist, and a file for each size. */
export const variantsOf = (video: PostVideo): object[] => [
  {
    content_type: 'application/x-mpegURL',
    url: `https://${VIDEO_HOST}${folderOf(video)}/pl/-kd3cWye2HXbiTju.m3u8?tag=12&v=cfc`,
  },
  ...sizes.map(({ size, bitrate }) => ({
    bitrate,
    content_type: 'video/mp4',
    url: `https://${VIDEO_HOST}${folderOf(video)}/vid/avc1/${size}/vxKqarkYhJW80NBu.mp4?tag=12`,
  })),
]

/** The video that an address of X's media hosts belongs to. */
export const videoAt = ({ pathname }: URL): PostVideo | undefined =>
  xVideos.flatMap(videosOf).find(({ id }) => pathname.includes(`/${id}/`))
