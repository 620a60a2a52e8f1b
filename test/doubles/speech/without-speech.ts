/** Sounds without speech, by name, as ffmpeg's `lavfi` makes them (`synthesized`). */
export const withoutSpeech = {
  silence: 'anullsrc=r=16000:cl=mono',
  'a high tone': 'sine=f=440:r=16000',
  'a low tone': 'sine=f=150:r=16000',
  'a chord': "aevalsrc='0.2*sin(2*PI*261.6*t)+0.2*sin(2*PI*329.6*t)+0.2*sin(2*PI*392*t)':s=16000",
  'chords in turn':
    "aevalsrc='0.2*sin(2*PI*(220+44*floor(mod(t,4)))*t)+0.2*sin(2*PI*(277+55*floor(mod(t,4)))*t)':s=16000",
  'a plucked melody':
    "aevalsrc='exp(-4*mod(t,0.5))*(0.3*sin(2*PI*220*pow(2,floor(mod(t*2,8))/6)*t)+0.1*sin(6*PI*220*pow(2,floor(mod(t*2,8))/6)*t))':s=16000",
  'a beat': "aevalsrc='exp(-30*mod(t,0.5))*random(0)*0.6+exp(-15*mod(t+0.25,0.5))*sin(2*PI*60*t)*0.6':s=16000",
  'a buzzing tone that swells': "aevalsrc='(0.5+0.5*sin(8*PI*t))*0.3*(2*mod(t*150,1)-1)':s=16000",
  'white noise': 'anoisesrc=c=white:r=16000:a=0.3',
  'pink noise': 'anoisesrc=c=pink:r=16000:a=0.3',
  'brown noise': 'anoisesrc=c=brown:r=16000:a=0.3',
  'faint noise': 'anoisesrc=c=pink:r=16000:a=0.005',
}
