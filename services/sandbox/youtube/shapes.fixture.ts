import { chosenFormat, ytdlpFormat } from '../ytdlp-format.fixture.ts'

/** A format in the dictionary that yt-dlp makes of a video. */
const format = {
  ...ytdlpFormat,
  asr: 0,
  filesize: 0,
  format_note: '',
  source_preference: 0,
  fps: 0,
  audio_channels: 0,
  quality: 0,
  has_drm: true,
  filesize_approx: 0,
  language: '',
  language_preference: 0,
  preference: null,
  container: '',
  available_at: 0,
  downloader_options: { http_chunk_size: 0 },
}

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
  /** The dictionary that yt-dlp makes of a video. */
  info: {
    id: '',
    title: '',
    formats: [format],
    thumbnails: [{ url: '', preference: 0, id: '', height: 0, width: 0, resolution: '' }],
    thumbnail: '',
    description: '',
    channel_id: '',
    channel_url: '',
    duration: 0,
    view_count: 0,
    average_rating: null,
    age_limit: 0,
    webpage_url: '',
    categories: [],
    tags: [''],
    playable_in_embed: true,
    live_status: '',
    media_type: '',
    release_timestamp: null,
    _format_sort_fields: [''],
    automatic_captions: { any: [{ ext: '', url: '', name: '', impersonate: true, __yt_dlp_client: '' }] },
    subtitles: { any: [{ ext: '', url: '', name: '', impersonate: true, __yt_dlp_client: '' }] },
    comment_count: 0,
    uploader: '',
    uploader_id: '',
    uploader_url: '',
    upload_date: '',
    timestamp: 0,
    availability: '',
    original_url: '',
    webpage_url_basename: '',
    webpage_url_domain: '',
    extractor: '',
    extractor_key: '',
    playlist: null,
    playlist_index: null,
    display_id: '',
    fulltitle: '',
    duration_string: '',
    release_year: null,
    is_live: true,
    was_live: true,
    requested_subtitles: { en: { ext: '', url: '', name: '', impersonate: true, __yt_dlp_client: '' } },
    _has_drm: null,
    epoch: 0,
    requested_formats: [format],
    ...chosenFormat,
    language: '',
    format_note: '',
    filesize_approx: 0,
    fps: 0,
    stretched_ratio: null,
    asr: 0,
    audio_channels: 0,
    _type: '',
    _version: { version: '', current_git_head: null, release_git_head: '', repository: '' },
  },
}
