/** Settings of every process of the cluster. */
export const CLUSTER_SETTINGS = {
  BASE_URL: 'http://localhost',
  TRUST_PROXY: 'true',
  // HAProxy notices a process that drains after two checks, 2 s apart.
  DRAIN_SEC: '6',
  LOG_LEVEL: 'warn',
  STORAGE_RESERVE_BYTES: '0',
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  MAX_UNFINISHED_UPLOADS: '10000',
  MAX_PENDING_VIDEOS: '10000',
}
