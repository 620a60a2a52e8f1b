import type { CaptionTrack } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import { isPrivate, type TikTokCreator, type TikTokVideo } from './catalogue.ts'
import { captionsAddress, filmAddress, filmHosts, pictureAddress, soundAddress } from './cdn.ts'

const SIZE = { width: 1024, height: 576, definition: '540p' }

/** The films of a page, and the token that serves them. */
export type Handing = { media: Media; token: string }

/** `itemStruct`: a post in the data of its page. */
export function itemOf(post: TikTokVideo, handing: Handing): object {
  const { id, creator, description, published } = post
  return {
    id,
    desc: description,
    createTime: String(Date.parse(published) / 1_000),
    video: post.pictures ? silentVideo(post) : videoOf(post, handing),
    author: userOf(creator),
    music: musicOf(post),
    stats: {
      diggCount: post.likes,
      shareCount: post.shares,
      commentCount: post.comments,
      playCount: post.views,
      collectCount: '1311',
    },
    secret: false,
    privateItem: false,
  }
}

/** A restricted post as guests see it: its author and text, and nothing that plays. */
export const classifiedItem = ({ id, description, creator }: TikTokVideo): object => ({
  id,
  desc: description,
  isContentClassified: true,
  author: userOf(creator),
})

export const userOf = (creator: TikTokCreator): object => ({
  id: creator.id,
  uniqueId: creator.handle,
  nickname: creator.name,
  avatarLarger: pictureAddress('leisure', 'avatar'),
  verified: creator.verified,
  secUid: `MS4wLjABAAAA${creator.id}`,
  privateAccount: isPrivate(creator),
  secret: isPrivate(creator),
  isEmbedBanned: creator.profile === 'embed_banned',
})

/** Above ten thousand the plain numbers are rounded to the hundred; `statsV2` has every digit. */
export const statsOf = ({ followers, following, likes, videos }: TikTokCreator): object => ({
  followerCount: rounded(followers),
  followingCount: following,
  heartCount: rounded(likes),
  videoCount: videos,
})

const rounded = (count: number): number => (count < 10_000 ? count : Math.round(count / 100) * 100)

function videoOf(post: TikTokVideo, { media, token }: Handing): object {
  const seconds = Math.floor(secondsOf(post.film))
  const bytes = media[post.film].film.body.length
  const bitrate = Math.round((bytes * 8) / secondsOf(post.film))
  return {
    height: SIZE.height,
    width: SIZE.width,
    duration: seconds,
    cover: pictureAddress(post.film, 'cover'),
    originCover: pictureAddress(post.film, 'cover'),
    dynamicCover: pictureAddress(post.film, 'cover'),
    playAddr: filmAddress(filmHosts[0], post.film, 'plain', token),
    downloadAddr: filmAddress(filmHosts[0], post.film, 'marked', token),
    ...(post.captions.length > 0 && { subtitleInfos: post.captions.map((track) => subtitleOf(post, track)) }),
    bitrateInfo: [{ PlayAddr: addressOf(post, { bytes, bitrate, token }) }],
  }
}

function addressOf(post: TikTokVideo, { bytes, bitrate, token }: { bytes: number; bitrate: number; token: string }) {
  const cdn = filmHosts.map((host) => filmAddress(host, post.film, 'plain', token))
  const own = `https://www.tiktok.com/aweme/v1/play/?faid=1988&is_play_url=1&item_id=${post.id}&tk=tt_chain_token`
  return {
    DataSize: String(bytes),
    UrlList: [...cdn, own],
    UrlKey: `v09sandbox${post.id}_h264_${SIZE.definition}_${bitrate}`,
  }
}

const subtitleOf = ({ id }: TikTokVideo, { language, kind }: CaptionTrack): object => ({
  LanguageCodeName: language,
  Url: captionsAddress(id, language),
  Format: 'webvtt',
  Source: kind === 'automatic' ? 'ASR' : 'MT',
})

const silentVideo = ({ film }: TikTokVideo): object => ({
  height: 0,
  width: 0,
  duration: 0,
  cover: pictureAddress(film, 'cover'),
  originCover: pictureAddress(film, 'cover'),
  dynamicCover: '',
  playAddr: '',
  downloadAddr: '',
})

function musicOf({ film, music, creator }: TikTokVideo): object {
  const seconds = Math.floor(secondsOf(music ?? film))
  return {
    title: music ? 'A Song Everybody Knows' : `original sound - ${creator.name}`,
    playUrl: soundAddress(music ?? film),
    authorName: music ? 'The Sandbox Band' : creator.name,
    duration: seconds,
  }
}
