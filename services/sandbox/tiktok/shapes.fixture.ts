/** The creator of a video. */
const author = {
  id: '',
  shortId: '',
  uniqueId: '',
  nickname: '',
  avatarLarger: '',
  avatarMedium: '',
  avatarThumb: '',
  signature: '',
  createTime: 0,
  verified: true,
  secUid: '',
  openFavorite: true,
  privateAccount: true,
  secret: true,
  isADVirtual: true,
  roomId: '',
  isEmbedBanned: true,
}

/** Numbers of that account. */
const authorStats = {
  followerCount: 0,
  followingCount: 0,
  heart: 0,
  heartCount: 0,
  videoCount: 0,
  diggCount: 0,
  friendCount: 0,
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
        scheduleTime: 0,
        video: {
          id: '',
          height: 0,
          width: 0,
          duration: 0,
          ratio: '',
          cover: '',
          originCover: '',
          dynamicCover: '',
          playAddr: '',
          downloadAddr: '',
          bitrate: 0,
          encodedType: '',
          format: '',
          videoQuality: '',
          codecType: '',
          definition: '',
          subtitleInfos: [
            {
              UrlExpire: '',
              Size: '',
              LanguageID: '',
              LanguageCodeName: '',
              Url: '',
              Format: '',
              Version: '',
              Source: '',
            },
          ],
          bitrateInfo: [
            {
              Bitrate: 0,
              QualityType: 0,
              BitrateFPS: 0,
              GearName: '',
              PlayAddr: { DataSize: '', Width: 0, Height: 0, Uri: '', UrlList: [''], UrlKey: '' },
              CodecType: '',
              Format: '',
            },
          ],
          size: '',
          claInfo: {
            hasOriginalAudio: true,
            enableAutoCaption: true,
            captionInfos: [
              {
                language: '',
                languageID: '',
                url: '',
                captionFormat: '',
                isAutoGen: true,
                isOriginalCaption: true,
                urlList: [''],
              },
            ],
          },
          videoID: '',
          PlayAddrStruct: { DataSize: '', Width: 0, Height: 0, Uri: '', UrlList: [''], UrlKey: '' },
        },
        author,
        music: {
          id: '',
          title: '',
          playUrl: '',
          coverLarge: '',
          authorName: '',
          original: true,
          private: true,
          duration: 0,
          collected: true,
          isCopyrighted: true,
        },
        challenges: [],
        stats: { diggCount: 0, shareCount: 0, commentCount: 0, playCount: 0, collectCount: '' },
        statsV2: { diggCount: '', shareCount: '', commentCount: '', playCount: '', collectCount: '', repostCount: '' },
        textExtra: [{ awemeId: '', start: 0, end: 0, hashtagName: '', type: 0, subType: 0, isCommerce: true }],
        secret: true,
        privateItem: true,
        isAd: true,
        authorStats,
        textLanguage: '',
        item_control: { can_share: true, can_comment: true, can_repost: true },
      },
    },
    shareMeta: { title: '', desc: '' },
    statusCode: 0,
    statusMsg: '',
  },
  /** The page of a profile. */
  profile: {
    userInfo: {
      user: author,
      stats: authorStats,
      statsV2: {
        followerCount: '',
        followingCount: '',
        heart: '',
        heartCount: '',
        videoCount: '',
        diggCount: '',
        friendCount: '',
      },
      itemList: [],
    },
    statusCode: 0,
    statusMsg: '',
    shareMeta: { title: '', desc: '' },
    needFix: true,
  },
}
