/** A receiver that verifies signatures, in each language; tests run the same files. */
export const RECEIVERS = [
  { language: 'Node', file: 'verify-webhook.mjs' },
  { language: 'Python', file: 'verify_webhook.py' },
  { language: 'PHP', file: 'verify-webhook.php' },
  { language: 'Go', file: 'verify-webhook.go' },
] as const
