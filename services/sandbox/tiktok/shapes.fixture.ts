/** The creator of a video. */
const author = {
  id: '',
  uniqueId: '',
  nickname: '',
  avatarLarger: '',
  verified: true,
  secUid: '',
  privateAccount: true,
  secret: true,
  isEmbedBanned: true,
}

/** Numbers of that account. */
const authorStats = {
  followerCount: 0,
  followingCount: 0,
  heartCount: 0,
  videoCount: 0,
}

/**
 * Shapes of TikTok's answers that the sandbox imitates: fields and types, in objects without content. They were read
 * from recordings of the real site. The honesty tests compare them with the recordings if those are present.
 */
export const tiktokShapes = {
  /** The page of a video. */
  video: {
    itemInfo: {
      itemStruct: {
        id: '',
        desc: '',
        createTime: '',
        video: {
          height: 0,
          width: 0,
          duration: 0,
          cover: '',
          originCover: '',
          dynamicCover: '',
          playAddr: '',
          downloadAddr: '',
          subtitleInfos: [{ LanguageCodeName: '', Url: '', Format: '', Source: '' }],
          bitrateInfo: [{ PlayAddr: { DataSize: '', UrlList: [''], UrlKey: '' } }],
        },
        author,
        music: { title: '', playUrl: '', authorName: '', duration: 0 },
        stats: { diggCount: 0, shareCount: 0, commentCount: 0, playCount: 0, collectCount: '' },
        secret: true,
        privateItem: true,
      },
    },
    statusCode: 0,
  },
  /** The page of a profile. */
  profile: {
    userInfo: {
      user: author,
      stats: authorStats,
      statsV2: {
        followerCount: '',
        followingCount: '',
        heartCount: '',
        videoCount: '',
      },
    },
    statusCode: 0,
  },
}
