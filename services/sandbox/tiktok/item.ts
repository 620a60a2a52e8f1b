import type { CaptionTrack } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import { isPrivate, type TikTokCreator, type TikTokVideo } from './catalogue.ts'
import { captionsAddress, filmAddress, filmHosts, pictureAddress, soundAddress } from './cdn.ts'

/** TikTok's numbers for languages, which it writes beside their names. */
const languageIds: Record<string, string> = { 'eng-US': '2', 'spa-ES': '9', 'deu-DE': '16' }

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
    scheduleTime: 0,
    video: post.pictures === undefined ? videoOf(post, handing) : silentVideo(post),
    ...(post.pictures !== undefined && { imagePost: imagesOf(post, post.pictures) }),
    author: userOf(creator),
    music: musicOf(post),
    challenges: [],
    stats: {
      diggCount: post.likes,
      shareCount: post.shares,
      commentCount: post.comments,
      playCount: post.views,
      collectCount: '1311',
    },
    statsV2: {
      diggCount: String(post.likes),
      shareCount: String(post.shares),
      commentCount: String(post.comments),
      playCount: String(post.views),
      collectCount: '1311',
      repostCount: '0',
    },
    textExtra: hashtagsOf(description),
    secret: false,
    privateItem: false,
    isAd: false,
    authorStats: statsOf(creator),
    textLanguage: 'en',
    item_control: { can_share: true, can_comment: true, can_repost: true },
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
  shortId: '',
  uniqueId: creator.handle,
  nickname: creator.name,
  avatarLarger: pictureAddress('leisure', 'avatar'),
  avatarMedium: pictureAddress('leisure', 'avatar'),
  avatarThumb: pictureAddress('leisure', 'avatar'),
  signature: creator.bio,
  createTime: 1_578_872_963,
  verified: creator.verified,
  secUid: `MS4wLjABAAAA${creator.id}`,
  openFavorite: false,
  privateAccount: isPrivate(creator),
  secret: isPrivate(creator),
  isADVirtual: false,
  roomId: '',
  isEmbedBanned: creator.profile === 'embed_banned',
})

/** Above ten thousand the plain numbers are rounded to the hundred; `statsV2` has every digit. */
export const statsOf = ({ followers, following, likes, videos }: TikTokCreator): object => ({
  followerCount: rounded(followers),
  followingCount: following,
  heart: rounded(likes),
  heartCount: rounded(likes),
  videoCount: videos,
  diggCount: 0,
  friendCount: 0,
})

const rounded = (count: number): number => (count < 10_000 ? count : Math.round(count / 100) * 100)

function videoOf(post: TikTokVideo, { media, token }: Handing): object {
  const seconds = Math.floor(secondsOf(post.film))
  const bytes = media[post.film].film.body.length
  const bitrate = Math.round((bytes * 8) / secondsOf(post.film))
  const playAddress = addressOf(post, { bytes, bitrate, token })
  return {
    id: post.id,
    height: SIZE.height,
    width: SIZE.width,
    duration: seconds,
    ratio: SIZE.definition,
    cover: pictureAddress(post.film, 'cover'),
    originCover: pictureAddress(post.film, 'cover'),
    dynamicCover: pictureAddress(post.film, 'cover'),
    playAddr: filmAddress(filmHosts[0], post.film, 'plain', token),
    downloadAddr: filmAddress(filmHosts[0], post.film, 'marked', token),
    bitrate,
    encodedType: 'normal',
    format: 'mp4',
    videoQuality: 'normal',
    codecType: 'h264',
    definition: SIZE.definition,
    ...(post.captions.length > 0 && { subtitleInfos: post.captions.map((track) => subtitleOf(post, track)) }),
    bitrateInfo: [
      {
        Bitrate: bitrate,
        QualityType: 20,
        BitrateFPS: 25,
        GearName: 'normal_540_0',
        PlayAddr: playAddress,
        CodecType: 'h264',
        Format: 'mp4',
      },
    ],
    size: String(bytes),
    claInfo: claimsOf(post),
    videoID: uriOf(post),
    PlayAddrStruct: playAddress,
  }
}

const uriOf = ({ id }: TikTokVideo): string => `v09sandbox${id}`

function addressOf(post: TikTokVideo, { bytes, bitrate, token }: { bytes: number; bitrate: number; token: string }) {
  const cdn = filmHosts.map((host) => filmAddress(host, post.film, 'plain', token))
  const own = `https://www.tiktok.com/aweme/v1/play/?faid=1988&is_play_url=1&item_id=${post.id}&tk=tt_chain_token`
  return {
    DataSize: String(bytes),
    Width: SIZE.width,
    Height: SIZE.height,
    Uri: uriOf(post),
    UrlList: [...cdn, own],
    UrlKey: `${uriOf(post)}_h264_${SIZE.definition}_${bitrate}`,
  }
}

const subtitleOf = ({ id }: TikTokVideo, { language, kind }: CaptionTrack): object => ({
  UrlExpire: String(Math.floor(Date.now() / 1_000) + 172_800),
  Size: '1283',
  LanguageID: languageIds[language],
  LanguageCodeName: language,
  Url: captionsAddress(id, language),
  Format: 'webvtt',
  Version: kind === 'automatic' ? '1:whisper_lid' : '4',
  Source: kind === 'automatic' ? 'ASR' : 'MT',
})

function claimsOf({ id, captions }: TikTokVideo): object {
  const captionInfos = captions.map(({ language, kind }) => ({
    language,
    languageID: languageIds[language],
    url: captionsAddress(id, language),
    captionFormat: 'webvtt',
    isAutoGen: true,
    isOriginalCaption: kind === 'automatic',
    urlList: [captionsAddress(id, language)],
  }))
  return { hasOriginalAudio: captions.length > 0, enableAutoCaption: true, captionInfos }
}

const silentVideo = ({ id, film }: TikTokVideo): object => ({
  id,
  height: 0,
  width: 0,
  duration: 0,
  ratio: '',
  cover: pictureAddress(film, 'cover'),
  originCover: pictureAddress(film, 'cover'),
  dynamicCover: '',
  playAddr: '',
  downloadAddr: '',
})

const imagesOf = ({ film, description }: TikTokVideo, count: number): object => ({
  images: Array.from({ length: count }, () => ({
    imageURL: { urlList: [pictureAddress(film, 'cover')] },
    imageWidth: 1080,
    imageHeight: 1440,
  })),
  title: description,
})

function musicOf({ id, film, music, creator }: TikTokVideo): object {
  const seconds = Math.floor(secondsOf(music ?? film))
  return {
    id: `${id}0`,
    title: music ? 'A Song Everybody Knows' : `original sound - ${creator.name}`,
    playUrl: soundAddress(music ?? film),
    coverLarge: pictureAddress(film, 'avatar'),
    authorName: music ? 'The Sandbox Band' : creator.name,
    original: music === undefined,
    private: false,
    duration: seconds,
    collected: false,
    isCopyrighted: false,
  }
}

const hashtagsOf = (text: string): object[] =>
  [...text.matchAll(/#(\p{L}[\p{L}\p{N}]*)/gu)].map(({ index, 0: hashtag, 1: name = '' }) => ({
    awemeId: '',
    start: index,
    end: index + hashtag.length,
    hashtagName: name.toLowerCase(),
    type: 1,
    subType: 0,
    isCommerce: false,
  }))
