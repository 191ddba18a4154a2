/** The program of the guide in each language; tests run the same files. */
export const PROGRAMS = [
  { language: 'Node', file: 'player-url.mjs' },
  { language: 'Python', file: 'player_url.py' },
  { language: 'PHP', file: 'player-url.php' },
  { language: 'Go', file: 'player-url.go' },
  { language: 'curl', file: 'player-url.sh' },
] as const
