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
  u=floatBitsToUint(ldexp((gl_FrontFacing?w.x:1e-30),max(i,0)));
  b=cross(b,vec3((y+3.14159),(0.5+float(u)),(i>3?1e30:a[i&7])));
  w+=textureLod(t,vec2((dFdx(x)+gl_FragCoord.y),x),(0.5/dFdx(x)));
  switch(bitfieldExtract(i,i,1)&3){
    case 0: w+=textureLod(t,vec2(unpackHalf2x16(0x80000000u).y,x),ldexp(3.14159,int(x)));
    u=packHalf2x16(vec2(0.5,1e-30));
    w+=textureLod(t,vec2(length(vec2(0.5,b.z)),x),unpackSnorm4x8(1u).z);
    y-=1.;
    case 1: y=ldexp(1e30,2147483647);
    break;
    default: switch((0*31)&3){
      case 0: y=atan(0.);
      b=cross(b,vec3(inversesqrt(-0.),log(y),uintBitsToFloat(0u)));
      i=floatBitsToInt(x);
      case 1: b=cross(b,vec3((i>3?0.:b.z),ldexp(b.z,-1),unpackHalf2x16(uint(i)).y));
      x+=1.;
      w+=textureLod(t,vec2(ldexp(gl_FragCoord.y,int(u)),x),(float(u)/dFdx(x)));
      switch((int(x)|int(x))&3){
        case 0: x+=1.;
        y-=1.;
        w=m*w+vec4((true?dFdx(x):y));
        switch(findMSB(31)&3){
          case 0: w=texture(t,vec2(length(vec2(3.14159,gl_FragCoord.x)),(1.+1e30)));
          y=unpackSnorm4x8(33u).z;
          y-=1.;
          i=bitfieldExtract(0,31,(-2147483647-1));
          case 1: b=cross(b,vec3(atan(dFdx(x),a[int(x)&7]),(b.z*b.z),(x>y?1e-30:1e-30)));
          break;
          default: a[bitfieldExtract(0,1,2147483647)&7]=length(vec2(w.x,b.z));
          y=length(vec2(1e30,y));
          w=m*w+vec4(length(vec2(w.x,3.14159)));
          y-=1.;
        }
        case 1: y-=1.;
        i++;
        u=packSnorm2x16(vec2(3.14159,0.));
        x+=1.;
        break;
        default: if((true&&(u&1u)==0u)) discard;
        x+=1.;
      }
      break;
      default: switch(bitfieldInsert(7,0,int(gl_FragCoord.y),0)&3){
        case 0: i++;
        y=unpackHalf2x16(u).y;
        switch(min(2147483647,0)&3){
          case 0: w=texture(t,vec2(float(0),length(vec2(a[i&7],0.5))));
          y-=1.;
          case 1: u=(33u+1u);
          w=m*w+vec4(float((-2147483647-1)));
          break;
          default: y-=1.;
          b=cross(b,vec3(exp2(dFdx(x)),float(31),(1e-30/x)));
        }
        case 1: y=float(int(x));
        i=bitfieldInsert(7,1,2147483647,int(gl_FragCoord.y));
        a[(gl_FrontFacing?0:0)&7]=ldexp(1e-30,int(u));
        i++;
        break;
        default: b=cross(b,vec3(round(-0.),distance(vec3(float(i),1.,x),b),unpackSnorm4x8(1u).z));
        w=m*w+vec4(clamp(gl_FragCoord.x,w.x,y));
        y=(0./1e30);
        w=m*w+vec4((x>y?3.14159:1e-30));
      }
      x+=1.;
      switch(floatBitsToInt(-0.)&3){
        case 0: w=m*w+vec4((float(i)-float(u)));
        w+=textureLod(t,vec2(dot(vec3(a[i&7],a[int(x)&7],x),b),x),unpackHalf2x16(0x80000000u).y);
        case 1: w=m*w+vec4(ldexp(dFdx(x),7));
        break;
        default: u=packHalf2x16(vec2(1e-30,1e-30));
        y=distance(vec3(0.5,1e-30,x),b);
      }
    }
    i=max(0,1);
    b=cross(b,vec3((true?1.:y),unpackHalf2x16(1u).y,(1e-30-a[int(x)&7])));
    u=(u&u);
  }
  w=texture(t,vec2(unpackSnorm4x8(0u).z,mix(b.z,1e30,w.x)));
  gl_FragDepth=(x>y?dFdy(y):0.5);
  c=vec4(fract(x*.01),fract(y*.1+a[3]),float(i&255)/255.,1)+fract(w*.1)*.3+vec4(b*.01,0)+float(u&7u)/9.;
}
