/** How to reach a cluster. */
export type KafkaCluster = {
  /** `host:port` of some brokers. */
  brokers: readonly string[]
  /** Whether the brokers speak TLS. Their certificates are checked like any other server's. */
  tls?: boolean
  /** The credentials, if the brokers require them. */
  login?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
}
