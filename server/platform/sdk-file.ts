import sdk from '../../sdk/package.json' with { type: 'json' }

/**
 * The package of the client that this version has, at the root of the service. Its name has the version, which each release raises: lock
 * files refuse another content under a name that they know.
 */
export const SDK_FILE = `reelgate-sdk-${sdk.version}.tgz`
