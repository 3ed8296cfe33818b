#version 450
out vec4 c;
uniform sampler2D t;
void main(){
  float x=gl_FragCoord.x,y=gl_FragCoord.y;
  int i=int(x)*int(y);
  uint u=uint(i)*2654435761u;
  float a[8]=float[8](1.,2.,3.,4.,5.,6.,7.,8.);
  vec3 b=vec3(x,y,1);
  vec4 w=vec4(x,y,x*y,1);
  mat4 m=mat4(x);
  c=vec4(0);
  i++;
  switch(floatBitsToInt(float(i))&3){
    case 0: switch(bitfieldInsert(0,31,31,1)&3){
      case 0: w+=textureLod(t,vec2(clamp(gl_FragCoord.x,1e-30,3.14159),x),exp(w.x));
      u=uint(1e-30);
      case 1: switch(findLSB(31)&3){
        case 0: i=int(dFdy(y));
        y=intBitsToFloat(int(gl_FragCoord.y));
        x+=1.;
        case 1: x+=1.;
        break;
        default: u=(u%0u);
        w=m*w+vec4(float(7));
        y-=1.;
        i++;
      }
      y=fma(3.14159,b.z,a[int(x)&7]);
      b=cross(b,vec3(unpackSnorm4x8(u).z,distance(vec3(x,1.,x),b),(i>3?float(i):0.)));
      a[(int(u)>>1)&7]=(gl_FragCoord.y*dFdx(x));
      break;
      default: i=min(2147483647,7);
    }
    x=pow(3.14159,b.z);
    a[bitfieldInsert(int(x),31,7,int(u))&7]=unpackHalf2x16(0x80000000u).y;
    y-=1.;
    case 1: w=m*w+vec4(dot(vec3(dFdx(x),3.14159,x),b));
    y-=1.;
    break;
    default: x=unpackSnorm4x8(uint(i)).z;
    u=(0u/uint(i));
  }
  gl_FragDepth=unpackSnorm4x8(0xffffffffu).z;
  c=vec4(fract(x*.01),fract(y*.1+a[3]),float(i&255)/255.,1)+fract(w*.1)*.3+vec4(b*.01,0)+float(u&7u)/9.;
}
