import sdk from '../../sdk/package.json' with { type: 'json' }

/**
 * This version's client package, served at the root. Its name includes the version, which each release raises: lock files refuse different
 * content under a name they know.
 */
export const SDK_FILE = `reelgate-sdk-${sdk.version}.tgz`
