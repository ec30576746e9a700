import { inlineJson } from './snippet.ts'

const pixelScript = 'https://connect.facebook.net/en_US/fbevents.js'

/**
 * The ad platform's pixel, under the tracker's consent: it is loaded when the visitor may be tracked, not before, and
 * told when that ends.
 */
export const pixelLoader = (pixelId: string): string =>
  `(function(w,d,u,i){w.addEventListener("touchline:consent",function(e){` +
  `if(!e.detail){w.fbq&&w.fbq("consent","revoke");return}` +
  `if(w.fbq){w.fbq("consent","grant");return}` +
  `var f=w.fbq=w._fbq=function(){f.callMethod?f.callMethod.apply(f,arguments):f.queue.push(arguments)};` +
  `f.push=f;f.loaded=!0;f.version="2.0";f.queue=[];` +
  `var s=d.createElement("script");s.async=!0;s.src=u;d.head.appendChild(s);` +
  `f("init",i);f("track","PageView")})})(window,document,${inlineJson(pixelScript)},${inlineJson(pixelId)});`
