import sdk from '../../sdk/package.json' with { type: 'json' }

/** The package of the client that this version has, at the root of the service. Its name changes with its content, as lock files require. */
export const SDK_FILE = `reelgate-sdk-${sdk.version}.tgz`
