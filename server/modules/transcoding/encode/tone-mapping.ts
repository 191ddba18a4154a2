const LIGHT = { pq: 'smpte2084', hlg: 'arib-std-b67' }

/** Peak luminance of tone mapping in hundreds of nits: 1,000 nits, the usual mastering level. */
const PEAK = 10

/** Returns the filters from HDR (BT.2020, limited range) to BT.709. They run at the top rendition's size, which costs least. */
export function toneMapping(hdr: 'pq' | 'hlg', exact: boolean): string {
  if (exact) {
    const linear = `setparams=color_primaries=bt2020:color_trc=${LIGHT[hdr]}:colorspace=bt2020nc:range=tv,zscale=t=linear:npl=100,format=gbrpf32le`
    return `${linear},zscale=p=bt709,tonemap=hable:desat=0:peak=${PEAK},zscale=t=bt709:m=bt709:r=tv`
  }
  const matrix = 'scale=in_color_matrix=bt2020:out_color_matrix=bt709'
  const tagged = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709'
  // HLG is compatible with SDR screens and needs no curve; for PQ (SMPTE ST 2084) the table maps luma alone, with the same curve.
  if (hdr === 'hlg') return `${matrix},${tagged}`
  const light =
    'st(0,pow(clip((val-minval)/(maxval-minval),0,1),1/78.84375));st(1,100*pow(max(ld(0)-0.8359375,0)/(18.8515625-18.6875*ld(0)),1/0.1593017578))'
  const curve = '((ld(1)*(ld(1)*0.15+0.05)+0.004)/(ld(1)*(ld(1)*0.15+0.5)+0.06)-0.0666667)/0.70622'
  const shown = `minval+(maxval-minval)*pow(clip(${curve},0,1),1/2.4)`
  return `${matrix},lutyuv=y='${light};${shown}',${tagged}`
}
