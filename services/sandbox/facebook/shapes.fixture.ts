import { ytdlpFormat } from '../ytdlp-format.fixture.ts'

/**
 * Shapes of Facebook's answers that the sandbox imitates: fields and types, in objects without content. They were read
 * from recordings of the real site. The honesty tests compare them with the recordings if those are present.
 */
export const facebookShapes = {
  /** A video, on a page of its own or in a reel. */
  video: {
    __typename: '',
    id: '',
    preferred_thumbnail: { image: { uri: '' } },
    video_available_captions_locales: [
      { localized_creation_method: '', captions_url: '', locale: '', localized_language: '' },
    ],
    playable_duration_in_ms: 0,
    videoDeliveryLegacyFields: {
      dash_manifest_xml_string: '',
      dash_manifest_url: '',
      browser_native_sd_url: '',
      browser_native_hd_url: '',
    },
    owner: { __typename: '', id: '' },
    publish_time: 0,
    videoId: '',
    creation_story: {},
  },
  /** The feedback on a video. */
  story: {
    url: '',
    feedback: { total_comment_count: 0, video_view_count_renderer: { feedback: { video_view_count: 0 } } },
  },
  /** A post with a video, which is at `attachment.media`. */
  post: {
    comet_sections: {
      content: {
        story: {
          attachments: [{ styles: { attachment: {} } }],
        },
      },
      feedback: {
        story: {
          feedback_context: {
            feedback_target_with_context: {
              ufi_renderer: {
                feedback: { comet_ufi_summary_and_actions_renderer: { feedback: { video_view_count: 0 } } },
              },
            },
          },
        },
      },
    },
  },
  /** The wrapping of the data in the script of a page. */
  script: {
    require: [['', [{ __bbox: { require: [['', ['', { __bbox: { complete: true, result: { data: null } } }]]] } }]]],
  },
  /** The dictionary that yt-dlp makes of a video. */
  info: {
    title: '',
    uploader: '',
    thumbnail: '',
    duration: 0,
    id: '',
    formats: [
      {
        ...ytdlpFormat,
        manifest_url: '',
        asr: 0,
        fps: null,
        language: null,
        format_note: '',
        filesize: null,
        container: '',
        manifest_stream_number: 0,
        is_dash_periods: true,
        downloader_options: { http_chunk_size: 0 },
        quality: 0,
        filesize_approx: null,
      },
    ],
    timestamp: 0,
    automatic_captions: { any: [{ url: '', name: '', ext: '' }] },
    upload_date: '',
  },
}
