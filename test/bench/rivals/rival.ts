/** What a contestant gets when it is opened. */
export type Opening = {
  /** A folder of its own on the disk. */
  directory: string
  /** Steps of a kind at once. */
  slots: number
}

/** This many jobs of three steps that do nothing, enqueued one by one. */
export type Contest = { jobs: number; addsAtOnce: number }
