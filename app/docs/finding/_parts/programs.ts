/** The program of the guide in each language; tests run the same files. */
export const PROGRAMS = [
  { language: 'TypeScript', file: 'find-videos.ts' },
  { language: 'Python', file: 'find_videos.py' },
  { language: 'PHP', file: 'find-videos.php' },
  { language: 'Shell', file: 'find-videos.sh' },
] as const
