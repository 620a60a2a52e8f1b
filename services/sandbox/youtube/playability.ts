import type { Trouble } from '../catalogue.ts'

/** YouTube's clients. They get refusals in different words. */
export type Client = 'web' | 'app'

const text = (words: string): object => ({ runs: [{ text: words }] })

const errorScreen = (reason: string | undefined, subreason?: object): object => ({
  playerErrorMessageRenderer: {
    ...(subreason && { subreason }),
    ...(reason !== undefined && { reason: text(reason) }),
  },
})

const COUNTRY = 'The uploader has not made this video available in your country'
const MEMBERS = "This video is available to this channel's members on level: Page Turners (or any higher priced level)."
const BOT = 'Sign in to confirm you’re not a bot'
const AGE = 'Sign in to confirm your age'
const INAPPROPRIATE = 'This video may be inappropriate for some users.'

const no = (status: string, reason: string, more: object = { errorScreen: errorScreen(reason) }): object => ({
  status,
  reason,
  ...more,
})

/** A refusal that appears only in the interstitial. */
const interstitial = (status: string, title: string, description: string): object => ({
  status,
  errorScreen: {
    playerInterstitialRenderer: {
      content: { interstitialViewModel: { title: { content: title }, description: { content: description } } },
    },
  },
})

const privately = {
  runs: [{ text: 'If the owner of this video has granted you access, please ' }, { text: 'sign in' }, { text: '.' }],
}

/** `playabilityStatus` of a video for one of YouTube's clients. */
export function playabilityOf(trouble: Trouble | undefined, client: Client): object {
  switch (trouble) {
    case 'private':
      return no('LOGIN_REQUIRED', 'This video is private', {
        errorScreen: { playerErrorMessageRenderer: { subreason: privately } },
      })
    case 'deleted':
      return no('ERROR', 'This video is unavailable')
    case 'age_restricted':
      return client === 'web'
        ? no('LOGIN_REQUIRED', AGE, {
            errorScreen: errorScreen(AGE, text(INAPPROPRIATE)),
            desktopLegacyAgeGateReason: 1,
          })
        : no('LOGIN_REQUIRED', INAPPROPRIATE, { desktopLegacyAgeGateReason: 1 })
    case 'geo_blocked':
      return client === 'web'
        ? no('UNPLAYABLE', 'Video unavailable', { errorScreen: errorScreen('Video unavailable', text(COUNTRY)) })
        : no('UNPLAYABLE', COUNTRY)
    case 'members_only':
      return no('UNPLAYABLE', MEMBERS, { playableInEmbed: true })
    case 'bot_check':
    case 'bot_check_but_android':
      return no('LOGIN_REQUIRED', BOT, { errorScreen: errorScreen(BOT, text('This helps protect our community. ')) })
    case 'bot_check_interstitial':
      return interstitial('LOGIN_REQUIRED', BOT, 'This helps protect our community.')
    case 'private_interstitial':
      return interstitial('LOGIN_REQUIRED', 'Private video', "Sign in if you've been granted access to this video")
    case 'needs_reload':
      return no('UNPLAYABLE', 'The page needs to be reloaded.')
    case 'login_required':
      return no('LOGIN_REQUIRED', 'Please sign in')
    case 'upcoming':
      return no('LIVE_STREAM_OFFLINE', 'This live event will begin in 20 hours.', { playableInEmbed: true })
    default:
      return { status: 'OK', playableInEmbed: true }
  }
}
