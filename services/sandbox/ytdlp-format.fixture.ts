/** The fields of the chosen formats, which yt-dlp's dictionary of a video repeats. */
export const chosenFormat = {
  format_id: '',
  ext: '',
  protocol: '',
  format: '',
  vcodec: '',
  acodec: '',
  tbr: 0,
  vbr: 0,
  abr: 0,
  width: 0,
  height: 0,
  resolution: '',
  aspect_ratio: 0,
  dynamic_range: '',
}

/** The fields that a format has in every dictionary of yt-dlp, whichever the platform. */
export const ytdlpFormat = {
  ...chosenFormat,
  url: '',
  audio_ext: '',
  video_ext: '',
  http_headers: { 'User-Agent': '', Accept: '', 'Accept-Language': '', 'Sec-Fetch-Mode': '' },
}
