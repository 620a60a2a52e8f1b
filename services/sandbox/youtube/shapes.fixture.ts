/** The creator of a video in a search. */
const byline = {
  runs: [{ text: '', navigationEndpoint: { browseEndpoint: { browseId: '', canonicalBaseUrl: '' } } }],
}

/**
 * Shapes of YouTube's answers that the sandbox imitates: fields and types, in objects without content. They were read
 * from recordings of the real site. The honesty tests compare them with the recordings if those are present.
 */
export const youtubeShapes = {
  /** A player answer, to either client. */
  player: {
    responseContext: { visitorData: '' },
    playabilityStatus: {
      status: '',
      playableInEmbed: true,
      reason: '',
      errorScreen: {
        playerErrorMessageRenderer: {
          subreason: { runs: [{ text: '' }] },
          reason: { runs: [{ text: '' }] },
        },
      },
      desktopLegacyAgeGateReason: 0,
    },
    streamingData: {
      adaptiveFormats: [
        {
          itag: 0,
          url: '',
          mimeType: '',
          width: 0,
          height: 0,
          quality: '',
          fps: 0,
          qualityLabel: '',
          bitrate: 0,
          averageBitrate: 0,
          contentLength: '',
          projectionType: '',
          approxDurationMs: '',
          audioQuality: '',
          audioSampleRate: '',
          audioChannels: 0,
        },
      ],
      hlsManifestUrl: '',
    },
    captions: {
      playerCaptionsTracklistRenderer: {
        captionTracks: [
          {
            baseUrl: '',
            name: { runs: [{ text: '' }] },
            vssId: '',
            languageCode: '',
            isTranslatable: true,
            kind: '',
          },
        ],
        translationLanguages: [{ languageCode: '', languageName: { runs: [{ text: '' }] } }],
      },
    },
    videoDetails: {
      videoId: '',
      title: '',
      lengthSeconds: '',
      keywords: [''],
      channelId: '',
      shortDescription: '',
      thumbnail: { thumbnails: [{ url: '', width: 0, height: 0 }] },
      viewCount: '',
      author: '',
      isPrivate: true,
      isLiveContent: true,
    },
    microformat: {
      playerMicroformatRenderer: {
        thumbnail: { thumbnails: [{ url: '', width: 0, height: 0 }] },
        title: { simpleText: '' },
        description: { simpleText: '' },
        lengthSeconds: '',
        ownerProfileUrl: '',
        externalChannelId: '',
        isFamilySafe: true,
        availableCountries: [''],
        isUnlisted: true,
        viewCount: '',
        category: '',
        publishDate: '',
        uploadDate: '',
        isShortsEligible: true,
        likeCount: '',
      },
    },
  },
  /** A page of search results. */
  search: {
    estimatedResults: '',
    contents: {
      twoColumnSearchResultsRenderer: {
        primaryContents: {
          sectionListRenderer: {
            contents: [
              {
                itemSectionRenderer: {
                  contents: [
                    {
                      videoRenderer: {
                        videoId: '',
                        thumbnail: { thumbnails: [{ url: '', width: 0, height: 0 }] },
                        title: { runs: [{ text: '' }] },
                        lengthText: { simpleText: '' },
                        viewCountText: { simpleText: '', runs: [{ text: '' }] },
                        badges: [{ metadataBadgeRenderer: { style: '', label: '' } }],
                        ownerText: byline,
                        shortBylineText: byline,
                      },
                    },
                  ],
                },
                continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: '' } } },
              },
            ],
          },
        },
      },
    },
  },
  /** Captions as json3. */
  json3: {
    events: [{ tStartMs: 0, dDurationMs: 0, segs: [{ utf8: '', tOffsetMs: 0 }], aAppend: 0 }],
  },
  /** What our reader takes of the dictionary that yt-dlp makes of a video. */
  info: {
    id: '',
    display_id: '',
    title: '',
    description: '',
    channel_id: '',
    uploader: '',
    uploader_id: '',
    duration: 0,
    view_count: 0,
    comment_count: 0,
    thumbnail: '',
    timestamp: 0,
    upload_date: '',
    live_status: '',
    tags: [''],
    formats: [
      {
        format_id: '',
        ext: '',
        vcodec: '',
        acodec: '',
        width: 0,
        height: 0,
        filesize: 0,
        filesize_approx: 0,
        tbr: 0,
        language: '',
        language_preference: 0,
        protocol: '',
        url: '',
        has_drm: true,
      },
    ],
    automatic_captions: { any: [{ ext: '', url: '', name: '', impersonate: true, __yt_dlp_client: '' }] },
    subtitles: { any: [{ ext: '', url: '', name: '', impersonate: true, __yt_dlp_client: '' }] },
  },
}
