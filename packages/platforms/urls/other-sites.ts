/** Known video sites that we do not read: their label and the hosts of their pages, without their media hosts. */
const sites: Readonly<Record<string, string>> = {
  Vimeo: 'vimeo.com player.vimeo.com',
  Dailymotion: 'dailymotion.com geo.dailymotion.com dai.ly',
  Twitch: 'twitch.tv clips.twitch.tv player.twitch.tv',
  Kick: 'kick.com',
  Rumble: 'rumble.com',
  Odysee: 'odysee.com',
  BitChute: 'bitchute.com',
  Bilibili: 'bilibili.com bilibili.tv b23.tv',
  Douyin: 'douyin.com v.douyin.com iesdouyin.com',
  Kuaishou: 'kuaishou.com v.kuaishou.com kwai.com',
  Xiaohongshu: 'xiaohongshu.com xhslink.com',
  Weibo: 'weibo.com weibo.cn video.weibo.com',
  Youku: 'youku.com v.youku.com',
  iQIYI: 'iqiyi.com iq.com',
  Niconico: 'nicovideo.jp nico.ms',
  VK: 'vk.com vk.ru vkvideo.ru',
  OK: 'ok.ru',
  Rutube: 'rutube.ru',
  Reddit: 'reddit.com old.reddit.com redd.it',
  LinkedIn: 'linkedin.com lnkd.in',
  Pinterest: 'pinterest.com pin.it',
  Snapchat: 'snapchat.com',
  Threads: 'threads.net threads.com',
  Bluesky: 'bsky.app',
  Tumblr: 'tumblr.com',
  Likee: 'likee.video',
  Triller: 'triller.co',
  '9GAG': '9gag.com',
  Imgur: 'imgur.com',
  Coub: 'coub.com',
  Streamable: 'streamable.com',
  Loom: 'loom.com',
  TED: 'ted.com',
  Wistia: 'wistia.com',
  Vidyard: 'vidyard.com share.vidyard.com',
  Netflix: 'netflix.com',
  'Prime Video': 'primevideo.com',
  'Disney+': 'disneyplus.com',
  Hulu: 'hulu.com',
  SoundCloud: 'soundcloud.com on.soundcloud.com',
  Spotify: 'spotify.com open.spotify.com spotify.link',
  'Apple Podcasts': 'podcasts.apple.com',
  Telegram: 't.me telegram.me',
}

const labels = new Map(
  Object.entries(sites).flatMap(([label, hosts]) => hosts.split(' ').map((host) => [host, label] as const)),
)

/** Extensions of media files, including files that we cannot read: their bytes show that better. */
const mediaFile = /\.(?:mp4|m4v|mov|webm|mkv|mp3|m4a|wav|og[agv]|opus|flac|aac|3gp|avi|flv|wmv|ts|m3u8|mpd)$/i

/** Whether a URL names a media file. */
export const namesMediaFile = ({ pathname }: URL): boolean => mediaFile.test(pathname)

/** The name of the video site that a page belongs to. Undefined if it is not a page of a known site. */
export const otherSiteOf = (url: URL): string | undefined =>
  namesMediaFile(url) ? undefined : labels.get(url.hostname.replace(/^(?:www|m|mobile)\./, ''))
