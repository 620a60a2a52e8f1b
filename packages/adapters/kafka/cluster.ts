/** How a cluster is reached. */
export type KafkaCluster = {
  /** `host:port` of some brokers. */
  brokers: readonly string[]
  /** Whether the brokers speak TLS. Their certificates are checked as those of any other server. */
  tls?: boolean
  /** The credentials, where brokers require them. */
  login?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
}
