import type { Egress } from './egress.ts'

/** One way out, chosen for a platform and a session. */
export type Exit = {
  /**
   * The address that the platform sees, as far as we know it: `direct`, or the proxy's `host:port`, with the session
   * where the proxy has sessions. For breakers, logs and `/ready`; never a credential.
   */
  address: string
  /** For our own requests. */
  egress: Egress
  /**
   * For a child process that we start, `http://user:password@127.0.0.1:port`: a guarded proxy of ours on loopback, whose
   * credentials choose this way out. It refuses what `egress` refuses. Never logged.
   */
  proxyUrl: string
}

/** Who a way out is asked for. */
export type ExitWish = {
  /** `youtube` …, or undefined for what belongs to no platform. */
  platform: string | undefined
  /** Takes the place of `{session}` in a proxy's URL: letters and digits. The same wish has the same exit address. */
  session: string
}

/** The ways out of this process. */
export type Exits = AsyncDisposable & { of(wish: ExitWish): Exit }
